"""What the environment says, read and validated once.

A wrong value is answered with the name under which it was given, what is allowed and an example;
all wrong values are answered together, so that nobody fixes them one restart at a time. An empty
variable counts as unset: files of container orchestrators make such ones.
"""

import difflib
import os
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from handfast.base.errors import SettingsError

PREFIX = "HANDFAST_"
ADMIN_TOKEN_LENGTH_MIN = 16  # shorter ones are guessable by trying
SECRET_LENGTH_MIN = 32  # what a 256-bit key should be derived from
MASK = "********"
MATCH_SIGNALS = ("sector", "stage", "geography", "cheque", "thesis", "activity")
MATCH_WEIGHT_MAX = 1000  # sums of weighted signals stay far below 32 bits
_WEIGHT = re.compile(rf"({'|'.join(MATCH_SIGNALS)})\s*=\s*([0-9]{{1,4}})")
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


class LogFormat(StrEnum):
    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _setting(
    default: Any, about: str, *, allowed: str, example: str, alias: str | None = None, **limits: Any
) -> Any:
    source = {"default_factory": default} if callable(default) else {"default": default}
    return Field(
        **source,
        description=about,
        json_schema_extra={"allowed": allowed, "example": example},
        validation_alias=alias,
        **limits,
    )


def _default_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("handfast", appauthor=False))


_KEYS_IN_QUERIES = frozenset({"fixtures_sources", "fixtures_lineups"})  # of APIs, often
_YES_NO = "true or false"
_DSN = "postgresql://user:password@host:5432/database"


class Settings(BaseSettings):
    """Every setting of Handfast. The order here is the order in ``handfast config``."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    mode: Mode = _setting(
        Mode.DEVELOPMENT,
        "development makes tokens and secrets by itself; production wants them from you",
        allowed="development or production",
        example="production",
    )
    database_url: SecretStr | None = _setting(
        None,
        "your own PostgreSQL, version 15 or newer; without it the embedded one is used",
        allowed=f"an address such as {_DSN}",
        example="postgresql://handfast:secret@db.internal:5432/handfast",
        alias="DATABASE_URL",
    )
    direct_database_url: SecretStr | None = _setting(
        None,
        "the same database without a pooler between, for migrations and notifications",
        allowed=f"an address such as {_DSN}",
        example="postgresql://handfast:secret@db.internal:5432/handfast",
    )
    transaction_pooling: bool = _setting(
        False,
        "DATABASE_URL leads to a PgBouncer in transaction mode",
        allowed=_YES_NO,
        example="true",
    )
    pool_size: int = _setting(
        10,
        "database connections in the pool of one process",
        allowed="a whole number from 1 to 500",
        example="20",
        ge=1,
        le=500,
    )
    connect_timeout: float = _setting(
        10.0,
        "seconds to wait for a database connection",
        allowed="a number from 0.1 to 300",
        example="10",
        ge=0.1,
        le=300,
    )
    redis_url: SecretStr | None = _setting(
        None,
        "an optional Redis or Valkey as a fast path; nothing durable is kept there",
        allowed="an address such as redis://host:6379/0, rediss://… or unix:///path/to/socket",
        example="redis://127.0.0.1:6379/0",
        alias="REDIS_URL",
    )
    data_dir: Path = _setting(
        _default_data_dir,
        "where the embedded PostgreSQL keeps its data",
        allowed="a folder that this user may write",
        example="/var/lib/handfast",
    )
    socket_dir: Path | None = _setting(
        None,
        "where the embedded PostgreSQL puts its socket; by default inside the data folder",
        allowed="a folder whose path is short (a socket's path has at most 107 bytes)",
        example="/run/handfast",
    )
    postgres_bin: Path | None = _setting(
        None,
        "other PostgreSQL binaries for the embedded server; by default those from the wheel",
        allowed="a folder that contains postgres and initdb",
        example="/usr/lib/postgresql/17/bin",
    )
    keep_server: bool = _setting(
        False,
        "leave the embedded server running after the last process has gone",
        allowed=_YES_NO,
        example="true",
    )
    app: str | None = _setting(
        None,
        "your program: the Handfast object on which its jobs are declared",
        allowed="module:attribute",
        example="shop.jobs:hf",
    )
    host: str = _setting(
        "127.0.0.1",
        "the address to listen on",
        allowed="an IP address or a host name of this machine",
        example="127.0.0.1",
        min_length=1,
    )
    port: int = _setting(
        8000,
        "the port to listen on; 0 takes a free one",
        allowed="a whole number from 0 to 65535",
        example="8000",
        ge=0,
        le=65535,
    )
    admin_token: SecretStr | None = _setting(
        None,
        "the operator's token for everything under /admin, sent as Authorization: Bearer",
        allowed=f"at least {ADMIN_TOKEN_LENGTH_MIN} characters without spaces",
        example="hf_admin_lK3vT0…",
    )
    idempotency_secret: SecretStr | None = _setting(
        None,
        "encrypts the kept responses of routes that ask for it; to rotate, the new one first",
        allowed="at least 32 characters without spaces; several with commas between",
        example="Vq0p1mJ3…,the-one-before…",
    )
    operator_login_limit: int = _setting(
        10,
        "wrong operator tokens that one address may send in a minute, before it must wait",
        allowed="a whole number from 1 to 1000000",
        example="10",
        ge=1,
        le=1_000_000,
    )
    trusted_proxies: str | None = _setting(
        None,
        "proxies whose X-Forwarded-For is believed when callers are counted by their address",
        allowed="addresses and networks, separated by commas",
        example="10.0.0.0/8,192.168.1.7",
    )
    webhooks_allow_private: bool = _setting(
        False,
        "deliver webhooks to private and loopback addresses too: for development only",
        allowed=_YES_NO,
        example="true",
    )
    webhooks_disable_days: int = _setting(
        5,
        "days of nothing but failure after which an endpoint is disabled",
        allowed="a whole number from 1 to 365",
        example="5",
        ge=1,
        le=365,
    )
    runs_database_url: SecretStr | None = _setting(
        None,
        "the same database, for working on match runs: a login of the role handfast_runs, which "
        "only reads; the embedded PostgreSQL needs none",
        allowed=f"an address such as {_DSN}",
        example="postgresql://handfast_runs:secret@db.internal:5432/handfast",
    )
    match_run_limit: int = _setting(
        60,
        "match runs that one address may start in a minute; it may read ten times as many",
        allowed="a whole number from 1 to 1000000",
        example="60",
        ge=1,
        le=1_000_000,
    )
    corpus_schema: str | None = _setting(
        None,
        "the schema with your own startup_uploads and investors, which are read and never changed",
        allowed="the name of a schema in the same database",
        example="crm",
        max_length=63,
    )
    match_weights: str | None = _setting(
        None,
        "what each signal counts in a score; one that is not named keeps its usual weight",
        allowed=f"signal=weight with commas between; signals are {', '.join(MATCH_SIGNALS)}; "
        "weights are whole numbers from 0 to 1000 and not all 0",
        example="sector=30,activity=0",
    )
    corpus_rebuild: str | None = _setting(
        None,
        "when the corpus is rebuilt by itself, in UTC; without it, never",
        allowed="a cron expression of five fields",
        example="30 2 * * *",
    )
    fixtures_sources: str | None = _setting(
        None,
        "where fixtures come from, every six hours: football.json or CSV",
        allowed="files, folders and addresses, separated by commas",
        example="/srv/fixtures,https://feed.example.com/en.1.json",
    )
    fixtures_lineups: str | None = _setting(
        None,
        "where lineups come from; without it, nobody is asked for any",
        allowed="a folder, or a file or address with {externalId} or another placeholder in it",
        example="https://feed.example.com/lineups/{externalId}",
    )
    fixtures_allow_private: bool = _setting(
        False,
        "ask for fixtures and lineups at private and loopback addresses too",
        allowed=_YES_NO,
        example="true",
    )
    log_level: LogLevel = _setting(
        LogLevel.INFO,
        "the least severe log line that is written",
        allowed="debug, info, warning or error",
        example="info",
    )
    log_format: LogFormat = _setting(
        LogFormat.AUTO,
        "text for people, json for machines, auto takes text in a terminal",
        allowed="auto, text or json",
        example="json",
    )
    tracing: bool = _setting(
        False,
        "send OpenTelemetry traces (needs the extra handfast[otel]; OTEL_* variables apply)",
        allowed=_YES_NO,
        example="true",
    )

    @field_validator("database_url", "direct_database_url", "runs_database_url")
    @classmethod
    def _is_postgres_address(cls, value: SecretStr | None) -> SecretStr | None:
        return _has_scheme(value, "postgresql", "postgres")

    @field_validator("redis_url")
    @classmethod
    def _is_redis_address(cls, value: SecretStr | None) -> SecretStr | None:
        return _has_scheme(value, "redis", "rediss", "unix")

    @field_validator("admin_token")
    @classmethod
    def _is_hard_to_guess(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            token = value.get_secret_value()
            if len(token) < ADMIN_TOKEN_LENGTH_MIN or any(c.isspace() for c in token):
                raise ValueError("too short, or has spaces")
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

    @field_validator("match_weights")
    @classmethod
    def _are_weights(cls, value: str | None) -> str | None:
        if value is not None:
            named = [_WEIGHT.fullmatch(part.strip()) for part in value.split(",")]
            weights = {found[1]: int(found[2]) for found in named if found}
            if len(weights) != len(named) or max(weights.values()) > MATCH_WEIGHT_MAX:
                raise ValueError("not signal=weight, a signal twice, or too large")
            if len(weights) == len(MATCH_SIGNALS) and not any(weights.values()):
                raise ValueError("nothing would count")
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


def _has_scheme(value: SecretStr | None, *schemes: str) -> SecretStr | None:
    if value is not None:
        scheme = urlsplit(value.get_secret_value()).scheme
        if scheme.partition("+")[0] in schemes and "+" in scheme:
            raise _DriverNamed(scheme)
        if scheme not in schemes:
            raise ValueError("another scheme")
    return value


def load_settings(**overrides: Any) -> Settings:
    """Settings from the environment; ``overrides`` (from a command line) win."""
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as invalid:
        problems = [_explain(error, given) for error in invalid.errors()]
        raise SettingsError(
            "\n".join(problems),
            hint="Nothing was started. `handfast config --help` lists every setting.",
            problems=problems,
        ) from None


def variable_name(field: str) -> str:
    """The environment variable that sets a field."""
    alias = Settings.model_fields[field].validation_alias
    return alias if isinstance(alias, str) else PREFIX + field.upper()


def about(field: str) -> dict[str, str]:
    """What a person needs to know of a setting: meaning, allowed values, example."""
    info = Settings.model_fields[field]
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    return {
        "about": info.description or "",
        "allowed": str(extra["allowed"]),
        "example": f"{variable_name(field)}={extra['example']}",
    }


def is_set(field: str) -> bool:
    """Whether the environment says anything about a field."""
    return bool(os.environ.get(variable_name(field)))


def _explain(error: ErrorDetails, given: Mapping[str, Any]) -> str:
    if not error["loc"]:
        field, said = "admin_token", "is not set, and HANDFAST_MODE is production"
    else:
        field = next(
            name for name in Settings.model_fields if error["loc"][0] in (name, variable_name(name))
        )
        reason = error.get("ctx", {}).get("error")
        is_driver = isinstance(reason, _DriverNamed)
        said = str(reason) if is_driver else f"is {_quote(field, error['input'])}"
    entry = about(field)
    name, example = variable_name(field), entry["example"]
    if field in given:  # answered in terms of what was typed
        name = "--" + field.replace("_", "-")
        example = f"{name} {example.partition('=')[2]}"
    return f"{name} {said}. Allowed: {entry['allowed']}. Example: {example}"


def _quote(field: str, value: Any) -> str:
    """A wrong value as it may be shown: a secret never is, however wrong."""
    if is_secret(field):
        return "set, but cannot be used (the value is a secret and is not shown)"
    text = repr(str(value))
    return text if len(text) <= 80 else f"{text[:80]}… ({len(text)} characters)"


def is_secret(field: str) -> bool:
    return "SecretStr" in str(Settings.model_fields[field].annotation)


def shown(settings: Settings, field: str) -> str | None:
    """A setting's value as it may be printed."""
    value = getattr(settings, field)
    if value is None:
        return None
    if field in _KEYS_IN_QUERIES:
        return re.sub(r"\?[^,]*", "?…", str(value))
    if not isinstance(value, SecretStr):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return mask_url(value.get_secret_value()) if field.endswith("_url") else MASK


def mask_url(url: str) -> str:
    """The address with its password (and any password in its query) masked."""
    parts = urlsplit(url)
    netloc = parts.netloc
    if parts.password is not None:
        netloc = f"{parts.username or ''}:{MASK}@{netloc.rpartition('@')[2]}"
    query = "&".join(
        f"{pair.partition('=')[0]}={MASK}" if "password" in pair.partition("=")[0] else pair
        for pair in parts.query.split("&")
    )
    return urlunsplit(parts._replace(netloc=netloc, query=query))


def unknown_variables(environ: Mapping[str, str] | None = None) -> dict[str, str | None]:
    """``HANDFAST_*`` variables that mean nothing, each with what was probably meant."""
    known = {variable_name(field) for field in Settings.model_fields}
    found = [
        name
        for name in (os.environ if environ is None else environ)
        if name.startswith(PREFIX) and name not in known | NOT_SETTINGS
    ]
    return {name: next(iter(difflib.get_close_matches(name, known)), None) for name in found}
