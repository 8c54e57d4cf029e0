"""Pydantic models in payloads and results, beside everything that msgspec knows by itself.

Recognised by their methods, so that nobody has to have Pydantic. What neither of the two can carry
is refused when a kind is declared, not when the first job of it is enqueued.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.inspect import CustomType, Type, type_info


def is_model(cls: Any) -> bool:
    return hasattr(cls, "model_validate_json") and hasattr(cls, "model_dump_json")


def encoded(value: Any) -> Any:
    """msgspec's ``enc_hook``."""
    if is_model(type(value)):
        # As it is read again: by the names that it takes, and without what it works out itself.
        return msgspec.Raw(value.model_dump_json(by_alias=True, round_trip=True).encode())
    raise TypeError(f"objects of type {type(value).__qualname__} are not supported")


def plain(value: Any) -> Any:
    """The same for ``msgspec.to_builtins``: its numbers as they are, which JSON may not have."""
    return value.model_dump() if is_model(type(value)) else encoded(value)


def decoded(cls: type, value: Any) -> Any:
    """msgspec's ``dec_hook``: ``value`` came out of JSON, or from a caller who gave a dict."""
    if not is_model(cls):
        raise TypeError(f"{cls.__qualname__} is not supported")
    if isinstance(value, cls):
        return value
    try:
        # As JSON: there a strict model takes a date that is written as a text, too.
        return cls.model_validate_json(msgspec.json.encode(value, enc_hook=encoded))  # type: ignore[attr-defined]
    except ValueError as wrong:
        if not hasattr(wrong, "errors"):
            raise
        said = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in wrong.errors())
        raise ValueError(f"not a {cls.__qualname__}: {'; '.join(said)}") from wrong


def has_models(of: Any) -> bool:
    return any(is_model(one.cls) for one in _custom(type_info(of), set()))


def unknown_types(of: Any) -> list[type]:
    """The types in ``of``, however deep, that nobody here can carry."""
    return [one.cls for one in _custom(type_info(of), set()) if not is_model(one.cls)]


def _custom(info: Any, seen: set[int]) -> Iterator[CustomType]:
    if id(info) in seen:  # a type that contains itself
        return
    seen.add(id(info))
    if isinstance(info, CustomType):
        yield info
    elif isinstance(info, tuple):
        for part in info:
            yield from _custom(part, seen)
    elif isinstance(info, msgspec.Struct) and isinstance(info, Type | msgspec.inspect.Field):
        for name in info.__struct_fields__:
            yield from _custom(getattr(info, name), seen)
