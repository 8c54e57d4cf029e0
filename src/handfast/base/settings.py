"""What the environment says, read and validated once.

A wrong value is answered with the name under which it was given, what is allowed and an example;
all wrong values are answered together, so that nobody fixes them one restart at a time. An empty
variable counts as unset: files of container orchestrators make such ones.
"""

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache, cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import platformdirs
from pydantic import (
    AliasChoices,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from handfast.base.errors import SettingsError
from handfast.base.ids import SECRET_LENGTH_MIN
from handfast.base.logs import LogFormat, LogLevel
from handfast.base.masking import MASK, mask_url
from handfast.base.tokens import LENGTH_MIN as TOKEN_LENGTH_MIN
from handfast.base.tokens import read_tokens

PREFIX = "HANDFAST_"
# Ours, but not settings of the product: they steer ./run and the tests.
NOT_SETTINGS = frozenset(
    {
        "HANDFAST_NO_APT",
        "HANDFAST_TEST_PROCESSES",
        "HANDFAST_TEST_REDIS",
        "HANDFAST_GUARDIAN_NO_NAMESPACE",
    }
)


class Mode(StrEnum):
    DEVELOPMENT = "development"
    PRODUCTION = "production"


def setting(
    default: Any,
    about: str,
    *,
    allowed: str,
    example: str,
    alias: str | None = None,
    bare: str | None = None,
    keys_in_query: bool = False,
    **limits: Any,
) -> Any:
    """A setting with what a person needs to know of it. ``keys_in_query``: it holds addresses whose
    queries are not shown. ``bare``: a name from elsewhere that is read too; the one with our prefix
    wins."""
    names = alias if bare is None else AliasChoices(PREFIX + bare, bare)
    source = {"default_factory": default} if callable(default) else {"default": default}
    return Field(
        **source,
        description=about,
        json_schema_extra={
            "allowed": allowed,
            "example": example,
            "keys_in_query": keys_in_query,
        },
        validation_alias=names,
        **limits,
    )


def _default_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("handfast", appauthor=False))


YES_NO = "true or false"
_TOKENS = (
    f"a token of at least {TOKEN_LENGTH_MIN} characters without spaces and commas; or several "
    "with a name each, name=token with commas between"
)
DSN = "postgresql://user:password@host:5432/database"


S = TypeVar("S", bound="Section")


class Section(BaseSettings):
    """Settings of one room. Rooms with settings of their own have a class of them."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )


class Settings(Section):
    """What every process has; ``load_settings`` adds the sections of what is switched on. The order
    here is the order in ``handfast config``."""

    mode: Mode = setting(
        Mode.DEVELOPMENT,
        "development makes tokens and secrets by itself; production wants them from you",
        allowed="development or production",
        example="production",
    )
    database_url: SecretStr | None = setting(
        None,
        "your own PostgreSQL, version 15 or newer; without it the embedded one is used",
        allowed=f"an address such as {DSN}",
        example="postgresql://handfast_app:secret@db.internal:5432/handfast",
        alias="DATABASE_URL",
    )
    direct_database_url: SecretStr | None = setting(
        None,
        "the same database without a pooler between, for migrations and notifications",
        allowed=f"an address such as {DSN}",
        example="postgresql://handfast_app:secret@db.internal:5432/handfast",
    )
    transaction_pooling: bool = setting(
        False,
        "DATABASE_URL leads to a PgBouncer in transaction mode",
        allowed=YES_NO,
        example="true",
    )
    pool_size: int = setting(
        10,
        "database connections in the pool of one process",
        allowed="a whole number from 1 to 500",
        example="20",
        ge=1,
        le=500,
    )
    connect_timeout: float = setting(
        10.0,
        "seconds to wait for a database connection",
        allowed="a number from 0.1 to 300",
        example="10",
        ge=0.1,
        le=300,
    )
    redis_url: SecretStr | None = setting(
        None,
        "an optional Redis or Valkey as a fast path; nothing durable is kept there",
        allowed="an address such as redis://host:6379/0, rediss://… (TLS), unix:///path/to/socket "
        "or redis+sentinel://host:26379,host:26379/service",
        example="redis://127.0.0.1:6379/0",
        alias="REDIS_URL",
    )
    data_dir: Path = setting(
        _default_data_dir,
        "where the embedded PostgreSQL keeps its data",
        allowed="a folder that this user may write",
        example="/var/lib/handfast",
    )
    socket_dir: Path | None = setting(
        None,
        "where the embedded PostgreSQL puts its socket; by default inside the data folder",
        allowed="a folder whose path is short (a socket's path has at most 107 bytes)",
        example="/run/handfast",
    )
    postgres_bin: Path | None = setting(
        None,
        "other PostgreSQL binaries for the embedded server; by default those from the wheel",
        allowed="a folder that contains postgres and initdb",
        example="/usr/lib/postgresql/17/bin",
    )
    keep_server: bool = setting(
        False,
        "leave the embedded server running after the last process has gone",
        allowed=YES_NO,
        example="true",
    )
    capabilities: str | None = setting(
        None,
        "what is switched on, with what it requires; without it everything, or what your program "
        "chooses",
        allowed="names with commas between, or none",
        example="webhooks,fixtures",
    )
    app: str | None = setting(
        None,
        "your program: the Handfast object on which its jobs are declared",
        allowed="module:attribute",
        example="shop.jobs:hf",
    )
    host: str = setting(
        "127.0.0.1",
        "the address to listen on",
        allowed="an IP address or a host name of this machine",
        example="127.0.0.1",
        min_length=1,
    )
    port: int = setting(
        8000,
        "the port to listen on; 0 takes a free one",
        allowed="a whole number from 0 to 65535",
        example="8000",
        ge=0,
        le=65535,
    )
    admin_token: SecretStr | None = setting(
        None,
        "the operators' tokens, sent as Authorization: Bearer; the audit writes down their names",
        allowed=_TOKENS,
        example="anna=hf_admin_lK3vT0…,deploys=hf_admin_q81xWm…",
    )
    viewer_token: SecretStr | None = setting(
        None,
        "tokens of those who may look and change nothing; without any there are no viewers",
        allowed=f"{_TOKENS}; none of HANDFAST_ADMIN_TOKEN",
        example="board=hf_viewer_8sJx0c…",
    )
    game_token: SecretStr | None = setting(
        None,
        "tokens of game servers; without any, nobody may tell how a game went",
        allowed=f"{_TOKENS}; none of the operators' or viewers'",
        example="arena=hf_game_2nVq7d…",
    )
    idempotency_secret: SecretStr | None = setting(
        None,
        "encrypts the kept responses of routes that ask for it; to rotate, the new one first",
        allowed="at least 32 characters without spaces; several with commas between",
        example="Vq0p1mJ3…,the-one-before…",
    )
    operator_login_limit: int = setting(
        10,
        "wrong operator tokens that one address may send in a minute, before it must wait",
        allowed="a whole number from 1 to 1000000",
        example="10",
        ge=1,
        le=1_000_000,
    )
    trusted_proxies: str | None = setting(
        None,
        "proxies whose X-Forwarded-For is believed when callers are counted by their address",
        allowed="addresses and networks, separated by commas",
        example="10.0.0.0/8,192.168.1.7",
    )
    log_level: LogLevel = setting(
        LogLevel.INFO,
        "the least severe log line that is written",
        allowed="debug, info, warning or error",
        example="info",
    )
    log_format: LogFormat = setting(
        LogFormat.AUTO,
        "text for people, json for machines, auto takes text in a terminal",
        allowed="auto, text or json",
        example="json",
    )
    tracing: bool = setting(
        False,
        "send OpenTelemetry traces (needs the extra handfast[otel]; OTEL_* variables apply)",
        allowed=YES_NO,
        example="true",
    )

    @field_validator("database_url", "direct_database_url")
    @classmethod
    def _is_postgres_address(cls, value: SecretStr | None) -> SecretStr | None:
        return has_scheme(value, "postgresql", "postgres")

    @field_validator("redis_url")
    @classmethod
    def _is_redis_address(cls, value: SecretStr | None) -> SecretStr | None:
        return has_scheme(value, "redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel")

    @field_validator("admin_token", "viewer_token", "game_token")
    @classmethod
    def _are_hard_to_guess(cls, value: SecretStr | None, known: ValidationInfo) -> SecretStr | None:
        if value is not None:
            # Those declared before are checked before: no token makes anybody two kinds of caller.
            others = [known.data.get(name) for name in ("admin_token", "viewer_token")]
            each = [*others, value]
            read_tokens(",".join(one.get_secret_value() for one in each if one is not None), "")
        return value

    @field_validator("idempotency_secret")
    @classmethod
    def _are_long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            for secret in value.get_secret_value().split(","):
                if len(secret) < SECRET_LENGTH_MIN or any(c.isspace() for c in secret):
                    raise ValueError("too short, or has spaces")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: str | None) -> str | None:
        for part in (value or "").split(","):
            if part.strip():
                ip_network(part.strip(), strict=False)
        return value

    @field_validator("data_dir", "socket_dir", "postgres_bin")
    @classmethod
    def _is_absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @model_validator(mode="after")
    def _production_is_explicit(self) -> "Settings":
        if self.mode is Mode.PRODUCTION and self.admin_token is None:
            raise ValueError("admin_token")
        return self

    def of(self, section: type[S]) -> S:
        """The settings of a room; it is switched on, or they were not loaded."""
        if not isinstance(self, section):
            raise LookupError(f"{section.__name__} was not loaded with these settings")
        return self

    @cached_property
    def embedded(self) -> bool:
        """True when there is no database of the user's: only then is the embedded one started."""
        return self.database_url is None


class _DriverNamed(ValueError):
    """An address for SQLAlchemy, which names a driver. Nothing else of it is shown."""

    def __init__(self, scheme: str) -> None:
        super().__init__(
            f"begins with {scheme}://, as SQLAlchemy names a driver, and Handfast has its own: "
            f"write the same address with {scheme.partition('+')[0]}:// instead"
        )


def has_scheme(value: SecretStr | None, *schemes: str) -> SecretStr | None:
    if value is not None:
        scheme = urlsplit(value.get_secret_value()).scheme
        if scheme in schemes:
            return value
        if scheme.partition("+")[0] in schemes and "+" in scheme:
            raise _DriverNamed(scheme)
        raise ValueError("another scheme")
    return value


@cache
def settings_class(sections: tuple[type[Section], ...] = ()) -> type[Settings]:
    """One class of all these settings, so that all of them are read, and found wrong, together."""
    # Fields come in the order of the bases, the last one first.
    return type("AllSettings", (*reversed(sections), Settings), {}) if sections else Settings


def load_settings(sections: Sequence[type[Section]] = (), **overrides: Any) -> Settings:
    """Settings from the environment; ``overrides`` (from a command line) win."""
    kind = settings_class(tuple(sections))
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return kind(**given)
    except ValidationError as invalid:
        problems = [_explain(kind, error, given) for error in invalid.errors()]
        raise SettingsError(
            "\n".join(problems),
            hint="Nothing was started. `handfast config --help` lists every setting.",
            problems=problems,
        ) from None


def variable_name(field: str, of: type[Section] = Settings) -> str:
    """The environment variable that sets a field."""
    return variable_names(field, of)[0]


def variable_names(field: str, of: type[Section] = Settings) -> list[str]:
    """All that set a field; the first wins."""
    alias = of.model_fields[field].validation_alias
    if isinstance(alias, AliasChoices):
        return [str(name) for name in alias.choices]
    return [alias if isinstance(alias, str) else PREFIX + field.upper()]


def about(field: str, of: type[Section] = Settings) -> dict[str, str]:
    """What a person needs to know of a setting: meaning, allowed values, example."""
    extra = _extra(field, of)
    return {
        "about": of.model_fields[field].description or "",
        "allowed": str(extra["allowed"]),
        "example": f"{variable_name(field, of)}={extra['example']}",
    }


def _extra(field: str, of: type[Section]) -> dict[str, Any]:
    extra = of.model_fields[field].json_schema_extra
    return extra if isinstance(extra, dict) else {}


def is_set(field: str, of: type[Section] = Settings) -> bool:
    """Whether the environment says anything about a field."""
    return any(os.environ.get(name) for name in variable_names(field, of))


def _explain(kind: type[Section], error: ErrorDetails, given: Mapping[str, Any]) -> str:
    if not error["loc"]:
        field, said = "admin_token", "is not set, and HANDFAST_MODE is production"
    else:
        field = next(
            name
            for name in kind.model_fields
            if error["loc"][0] in (name, *variable_names(name, kind))
        )
        reason = error.get("ctx", {}).get("error")
        is_driver = isinstance(reason, _DriverNamed)
        said = str(reason) if is_driver else f"is {_quote(kind, field, error['input'])}"
    entry = about(field, kind)
    name, example = variable_name(field, kind), entry["example"]
    if field in given:  # answered in terms of what was typed
        name = "--" + field.replace("_", "-")
        example = f"{name} {example.partition('=')[2]}"
    return f"{name} {said}. Allowed: {entry['allowed']}. Example: {example}"


def _quote(kind: type[Section], field: str, value: Any) -> str:
    """A wrong value as it may be shown: a secret never is, however wrong."""
    if is_secret(field, kind):
        return "set, but cannot be used (the value is a secret and is not shown)"
    text = repr(str(value))
    return text if len(text) <= 80 else f"{text[:80]}… ({len(text)} characters)"


def is_secret(field: str, of: type[Section] = Settings) -> bool:
    return "SecretStr" in str(of.model_fields[field].annotation)


def shown(settings: Settings, field: str) -> str | None:
    """A setting's value as it may be printed."""
    value = getattr(settings, field)
    if value is None:
        return None
    if _extra(field, type(settings)).get("keys_in_query"):
        return re.sub(r"\?[^,]*", "?…", str(value))
    if not isinstance(value, SecretStr):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return mask_url(value.get_secret_value()) if field.endswith("_url") else MASK


def unknown_variables(
    of: type[Section] = Settings, environ: Mapping[str, str] | None = None
) -> dict[str, str | None]:
    """``HANDFAST_*`` variables that mean nothing, each with what was probably meant."""
    known = {variable_name(field, of) for field in of.model_fields}
    found = [
        name
        for name in (os.environ if environ is None else environ)
        if name.startswith(PREFIX) and name not in known | NOT_SETTINGS
    ]
    return {name: next(iter(difflib.get_close_matches(name, known)), None) for name in found}
