"""What a program declares: a kind of job, its handler, its payload, its policy.

The payload's type is made from the handler's own annotations, so that there is one place to look:
what the handler takes is what the payload holds. It is checked when a job is enqueued and again
before it runs, because the two may be different versions of the program.
"""

import inspect
import math
import re
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from types import NoneType
from typing import Any

import msgspec

from handfast.base.text import storable_json
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.errors import KindInvalid, PayloadInvalid
from handfast.engine.jobs import pydantic_models
from handfast.engine.jobs.options import Options
from handfast.engine.jobs.retry import Retry, RetryPolicy

PAYLOAD_BYTES_MAX = 256 * 1024  # a payload names things; the things themselves belong elsewhere
TIMEOUT_SECONDS = 300.0  # a handler that never returns must not hold its place for ever

_KIND = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")

# Words that hf.enqueue takes for itself.
RESERVED = frozenset(
    {
        "key",
        "due",
        "delay",
        "lane",
        "priority",
        "deadline",
        "group",
        "requires",
        "anchor",
        "offset",
        "tx",
        "kind",
    }
)


def as_json(value: Any) -> str:
    """As it is stored. Numbers that JSON has no word for are refused: msgspec would say null."""
    encoded = msgspec.json.encode(value, enc_hook=pydantic_models.encoded)
    if b"null" in encoded:
        _check_finite(msgspec.to_builtins(value, enc_hook=pydantic_models.plain))
    return storable_json(encoded)


def size_over(text: str, most: int) -> int:
    """Its size in bytes if that is more than ``most``, else 0."""
    if len(text) * 4 <= most:  # as long as UTF-8 can be: nearly always that is all
        return 0
    size = len(text.encode())
    return size if size > most else 0


def _check_finite(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"it contains {value}, which JSON has no word for")
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            _check_finite(part)


Upgrade = Callable[[dict[str, Any], int], dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """A declared kind of job."""

    name: str
    handler: Callable[..., Any]
    payload: type[msgspec.Struct]
    lane: str = "default"
    priority: int = 10
    retry: RetryPolicy = Retry.default
    timeout: float | None = TIMEOUT_SECONDS
    version: int = 1
    upgrade: Upgrade | None = None
    group: str | None = None
    batch: int | None = None
    skip_when_prerequisite_dies: bool = False
    horizon: timedelta | None = None
    durable_claim: bool = False
    is_async: bool = True
    decoder: "msgspec.json.Decoder[Any]" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        decoder = msgspec.json.Decoder(self.payload, dec_hook=pydantic_models.decoded)
        object.__setattr__(self, "decoder", decoder)

    @cached_property
    def _has_models(self) -> bool:
        return pydantic_models.has_models(self.payload)

    @cached_property
    def options(self) -> Options:
        """What it declares for each of its jobs."""
        return Options(
            lane=self.lane, priority=self.priority, group=self.group, version=self.version
        ).checked()

    def encode(self, values: Mapping[str, Any]) -> str:
        """The payload as JSON, after checking it against the handler's annotations."""
        try:
            checked = msgspec.convert(dict(values), self.payload, dec_hook=pydantic_models.decoded)
            text = as_json(checked)
            if self._has_models and self.decoder.decode(text) != checked:
                raise ValueError("a model hides a field, or leaves one out, when it is stored")
        except (msgspec.ValidationError, TypeError, ValueError, RecursionError) as error:
            raise PayloadInvalid(
                f"The payload of {self.name} does not fit: {error}.",
                hint=f"It takes {self.signature}.",
            ) from error
        if size := size_over(text, PAYLOAD_BYTES_MAX):
            raise PayloadInvalid(
                f"The payload of {self.name} has {size:,} bytes; at most "
                f"{PAYLOAD_BYTES_MAX:,} are allowed.",
                hint="Store the data and pass its id.",
            )
        return text

    def decode(self, payload: str, version: int) -> msgspec.Struct:
        """A stored payload, brought to this version of the kind."""
        try:
            if version == self.version:
                known: msgspec.Struct = self.decoder.decode(payload)
                return known
            if version > self.version:
                raise PayloadInvalid(
                    f"The payload has version {version}; this program knows {self.version}.",
                    hint="Run the newer program.",
                )
            if self.upgrade is None:
                raise PayloadInvalid(
                    f"The payload has version {version} and the kind {self.version}, but no "
                    "upgrade is declared.",
                    hint=f"Declare one: @hf.job({self.name!r}, version={self.version}, upgrade=…).",
                )
            return msgspec.convert(
                self.upgrade(msgspec.json.decode(payload), version),
                self.payload,
                dec_hook=pydantic_models.decoded,
            )
        except PayloadInvalid:
            raise
        except Exception as error:
            raise PayloadInvalid(f"The payload of {self.name} cannot be read: {error}.") from error

    @property
    def signature(self) -> str:
        fields = msgspec.structs.fields(self.payload)
        return ", ".join(f"{f.name}: {_type_name(f.type)}" for f in fields) or "nothing"


KindVersion = tuple[str, int]


class Kinds:
    """The kinds that a program has declared."""

    def __init__(self) -> None:
        self._by_name: dict[str, Kind] = {}
        self._by_handler: dict[Callable[..., Any], Kind] = {}

    def __iter__(self) -> typing.Iterator[Kind]:
        return iter(self._by_name.values())

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> Kind | None:
        return self._by_name.get(name)

    @property
    def versions(self) -> list[KindVersion]:
        """What the program can work on: each kind, and the newest version that it can read."""
        return [(kind.name, kind.version) for kind in self]

    def of(self, what: "str | Kind | Callable[..., Any]") -> Kind | None:
        """The kind that a caller means: by name, by handler or itself."""
        if isinstance(what, Kind):
            return what
        if isinstance(what, str):
            return self._by_name.get(what)
        try:
            return self._by_handler[what]
        except KeyError:
            raise KindInvalid(
                f"{getattr(what, '__qualname__', what)} is not a job.",
                hint="Declare it: @hf.job('area.name').",
            ) from None

    def add(self, kind: Kind) -> None:
        if _KIND.fullmatch(kind.name) is None:
            raise KindInvalid(
                f"{kind.name!r} is not a kind's name.",
                hint="Use lower-case words with a dot between, such as 'mail.welcome'.",
            )
        if kind.name in self._by_name:
            raise KindInvalid(f"The kind {kind.name!r} is declared twice.")
        if not 1 <= kind.priority <= 1000:
            raise KindInvalid(f"Priority {kind.priority} is not between 1 and 1000.")
        if not 1 <= kind.version <= 32767:
            raise KindInvalid(f"Version {kind.version} is not between 1 and 32767.")
        if not 1 <= len(kind.lane) <= 100:
            raise KindInvalid(f"The lane of {kind.name} needs 1 to 100 characters.")
        if kind.timeout is not None and not kind.timeout > 0:
            raise KindInvalid(f"The timeout of {kind.name} is {kind.timeout}: no time at all.")
        if kind.batch is not None and kind.batch < 1:
            raise KindInvalid(f"A batch of {kind.name} would have {kind.batch} jobs.")
        if inspect.isasyncgenfunction(kind.handler) or inspect.isgeneratorfunction(kind.handler):
            raise KindInvalid(f"The handler of {kind.name} yields; a handler returns.")
        self._by_name[kind.name] = kind
        self._by_handler[kind.handler] = kind


_DECLARE = statement("engine.declare_kinds", row=NoneType)
_DECLARE_GROUPS = statement("engine.declare_groups", row=NoneType)


async def declare(
    database: Database, kinds: Sequence[Kind], groups: Mapping[str, int] | None = None
) -> None:
    """Store what the database needs to know of them: policies above all."""
    ordered = sorted(kinds, key=lambda kind: kind.name)  # many workers start at once: no deadlock
    async with database.transaction() as tx:
        await _DECLARE.run(
            tx,
            [k.name for k in ordered],
            [k.lane for k in ordered],
            [k.priority for k in ordered],
            [k.version for k in ordered],
            [msgspec.json.encode(k.retry.as_data()).decode() for k in ordered],
            [k.group for k in ordered],
            [k.horizon for k in ordered],
            ["skip" if k.skip_when_prerequisite_dies else "wait" for k in ordered],
            [k.durable_claim for k in ordered],
        )
        if groups:
            names = sorted(groups)
            await _DECLARE_GROUPS.run(tx, names, [groups[name] for name in names])


def payload_of(handler: Callable[..., Any]) -> type[msgspec.Struct]:
    """The payload's type, from a handler's annotations; its first argument is the context."""
    name = getattr(handler, "__qualname__", repr(handler))
    parameters = list(inspect.signature(handler).parameters.values())
    if not parameters:
        raise KindInvalid(
            f"{name} takes no arguments.", hint="Its first one is the context: async def f(ctx): …"
        )
    try:
        hints = typing.get_type_hints(handler, include_extras=True)
    except NameError as error:
        raise KindInvalid(f"An annotation of {name} cannot be resolved: {error}.") from error
    fields: list[Any] = []
    for parameter in parameters[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise KindInvalid(f"{name} takes {parameter}: each field of the payload needs a name.")
        if parameter.name in RESERVED:
            raise KindInvalid(
                f"{name} has an argument {parameter.name!r}, a word that enqueue uses itself.",
                hint=f"Give it another name. Reserved: {', '.join(sorted(RESERVED))}.",
            )
        if parameter.name not in hints:
            raise KindInvalid(
                f"{name} has an argument {parameter.name!r} without a type.",
                hint=f"Annotate it, for example {parameter.name}: str.",
            )
        annotated = (parameter.name, hints[parameter.name])
        fields.append(
            annotated if parameter.default is parameter.empty else (*annotated, parameter.default)
        )
    try:
        made = msgspec.defstruct(
            f"{name}.payload", fields, kw_only=True, forbid_unknown_fields=True, frozen=True
        )
        msgspec.json.Decoder(made)
    except TypeError as error:
        raise KindInvalid(f"The payload of {name} cannot be described: {error}.") from error
    check_types(name, made)
    return made


def check_types(name: str, payload: type[msgspec.Struct]) -> None:
    """Refuse what could be declared, and then neither stored nor read."""
    unknown = pydantic_models.unknown_types(payload)
    if unknown:
        listed = ", ".join(sorted({f"{one.__module__}.{one.__qualname__}" for one in unknown}))
        raise KindInvalid(
            f"The payload of {name} has what JSON cannot carry: {listed}.",
            hint="Use plain types, dataclasses, msgspec.Struct or Pydantic models; of anything "
            "else pass what names it, such as an id or a path as text.",
        )


def caller(kind: Kind) -> Callable[[Any, msgspec.Struct], Awaitable[Any]]:
    """A function that calls the handler with the fields of a payload, as quickly as can be."""
    names = kind.payload.__struct_fields__
    handler = kind.handler
    if not names:
        return lambda context, _payload: handler(context)
    if len(names) == 1:
        only = names[0]
        return lambda context, payload: handler(context, **{only: getattr(payload, only)})
    return lambda context, payload: handler(context, **{n: getattr(payload, n) for n in names})


def _type_name(annotation: Any) -> str:
    return getattr(annotation, "__name__", str(annotation))
