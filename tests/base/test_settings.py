"""Settings: valid ones are taken, wrong ones are named, secrets stay secret."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.apps.runs.settings import MATCH_SIGNALS
from handfast.base.errors import SettingsError
from handfast.base.masking import MASK, mask_url
from handfast.base.settings import (
    NOT_SETTINGS,
    Mode,
    Settings,
    about,
    is_set,
    shown,
    unknown_variables,
    variable_name,
)
from handfast.db.embedded.privileges import NO_NAMESPACE
from handfast.wiring import load_settings

pytestmark = pytest.mark.on_lowest


def test_an_empty_environment_is_enough() -> None:
    settings = load_settings()
    assert settings.embedded
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.data_dir.is_absolute()


def test_values_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:p@h/d")
    monkeypatch.setenv("HANDFAST_PORT", "9000")
    monkeypatch.setenv("HANDFAST_DATA_DIR", "~/handfast-data")
    settings = load_settings()
    assert not settings.embedded
    assert settings.port == 9000
    assert settings.data_dir == Path.home() / "handfast-data"


def test_the_command_line_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDFAST_PORT", "9000")
    assert load_settings(port=9001).port == 9001
    assert load_settings(port=None).port == 9000


WRONG = [
    ("HANDFAST_MODE", "staging"),
    ("DATABASE_URL", "mysql://host/db"),
    ("DATABASE_URL", "localhost"),
    ("HANDFAST_DIRECT_DATABASE_URL", "http://host"),
    ("HANDFAST_TRANSACTION_POOLING", "perhaps"),
    ("HANDFAST_POOL_SIZE", "0"),
    ("HANDFAST_POOL_SIZE", "ten"),
    ("HANDFAST_CONNECT_TIMEOUT", "-1"),
    ("REDIS_URL", "memcached://host"),
    ("HANDFAST_KEEP_SERVER", "2"),
    ("HANDFAST_PORT", "65536"),
    ("HANDFAST_ADMIN_TOKEN", "short"),
    ("HANDFAST_ADMIN_TOKEN", "has a space in the middle"),
    ("HANDFAST_LOG_LEVEL", "loud"),
    ("HANDFAST_LOG_FORMAT", "xml"),
    ("HANDFAST_TRACING", "?"),
    *(
        ("HANDFAST_MATCH_WEIGHTS", weights)
        for weights in (
            *("sector", "sector=-1", "sector=1.5", "sektor=1", "sector=1001", "sector=1,sector=2"),
            ",".join(f"{signal}=0" for signal in MATCH_SIGNALS),
        )
    ),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_answered_with_name_and_example(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    said = caught.value.detail
    assert said.startswith(f"{name} is ")
    assert "Allowed: " in said
    assert f"Example: {name}=" in said
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("field", Settings.model_fields)
def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    monkeypatch.delenv(variable_name(field), raising=False)
    default = getattr(load_settings(), field)
    monkeypatch.setenv(variable_name(field), "")
    assert getattr(load_settings(), field) == default
    assert not is_set(field)


def test_a_wrong_option_is_answered_as_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDFAST_LOG_LEVEL", "loud")
    with pytest.raises(SettingsError) as caught:
        load_settings(port=99999, host="")
    host, port, level = caught.value.extra["problems"]
    assert host.startswith("--host is ''.")
    assert port.startswith("--port is '99999'.")
    assert port.endswith("Example: --port 8000")
    assert level.startswith("HANDFAST_LOG_LEVEL is 'loud'.")


def test_all_wrong_values_are_answered_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDFAST_PORT", "x")
    monkeypatch.setenv("HANDFAST_LOG_LEVEL", "y")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert len(caught.value.extra["problems"]) == 2


def test_production_wants_a_token_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDFAST_MODE", "production")
    with pytest.raises(SettingsError, match="HANDFAST_ADMIN_TOKEN is not set"):
        load_settings()
    monkeypatch.setenv("HANDFAST_ADMIN_TOKEN", "a-token-that-is-long-enough")
    assert load_settings().mode is Mode.PRODUCTION


@pytest.mark.parametrize(
    "values",
    [
        {"HANDFAST_ADMIN_TOKEN": "anna=short"},
        {"HANDFAST_VIEWER_TOKEN": "too-short"},
        {"HANDFAST_ADMIN_TOKEN": "one-that-is-long-enough,bob=one-that-is-long-enough"},
        {
            "HANDFAST_ADMIN_TOKEN": "anna=the-same-token-for-both",
            "HANDFAST_VIEWER_TOKEN": "board=the-same-token-for-both",
        },
    ],
)
def test_tokens_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str]
) -> None:
    """The same token for operators and viewers would make operators of viewers."""
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=list(values)[-1]) as caught:
        load_settings()
    assert not any(value in str(caught.value) for value in values.values())


def test_tokens_with_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDFAST_ADMIN_TOKEN", "anna=one-that-is-long,bob=another-that-is-long")
    monkeypatch.setenv("HANDFAST_VIEWER_TOKEN", "board=a-third-that-is-long")
    settings = load_settings()
    assert shown(settings, "admin_token") == shown(settings, "viewer_token") == MASK


def test_a_wrong_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://user:hunter2@host/db")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["DATABASE_URL", "HANDFAST_DIRECT_DATABASE_URL", "HANDFAST_RUNS_DATABASE_URL"]
)
@pytest.mark.parametrize("scheme", ["postgresql+asyncpg", "postgresql+psycopg", "postgres+asyncpg"])
def test_an_address_that_names_a_driver_is_told_so(
    monkeypatch: pytest.MonkeyPatch, name: str, scheme: str
) -> None:
    monkeypatch.setenv(name, f"{scheme}://user:hunter2@host/db")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (problem,) = caught.value.extra["problems"]
    assert problem.startswith(f"{name} begins with {scheme}://, as SQLAlchemy names a driver")
    assert f"with {scheme.partition('+')[0]}:// instead" in problem
    assert "hunter2" not in str(caught.value)


def test_secrets_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://user:hunter2@host/db")
    monkeypatch.setenv("HANDFAST_ADMIN_TOKEN", "hunter2-hunter2-hunter2")
    settings = load_settings()
    everything = {field: shown(settings, field) for field in Settings.model_fields}
    assert "hunter2" not in str(everything)
    assert "hunter2" not in repr(settings)
    assert everything["database_url"] == f"postgresql://user:{MASK}@host/db"
    assert everything["admin_token"] == MASK


@given(
    user=st.from_regex(r"[a-z]{1,8}", fullmatch=True),
    password=st.from_regex(r"[A-Z0-9%!~]{8,20}", fullmatch=True),
)
def test_no_form_of_address_shows_its_password(user: str, password: str) -> None:
    for url in (
        f"postgresql://{user}:{password}@host:5432/db?sslmode=require",
        f"postgresql://{user}@host/db?password={password}&sslmode=require",
        f"redis://:{password}@host/0",
    ):
        assert password not in mask_url(url)
        assert "host" in mask_url(url)


def test_unknown_variables_are_noticed() -> None:
    found = unknown_variables(environ={"HANDFAST_PROT": "1", "HANDFAST_PORT": "1", "PATH": "x"})
    assert found == {"HANDFAST_PROT": "HANDFAST_PORT"}


def test_what_steers_the_tests_is_not_unknown() -> None:
    assert NO_NAMESPACE in NOT_SETTINGS
    assert unknown_variables(environ=dict.fromkeys(NOT_SETTINGS, "1")) == {}


def test_every_setting_explains_itself() -> None:
    for field in Settings.model_fields:
        entry = about(field)
        assert all(entry.values()), field
        assert entry["example"].startswith(f"{variable_name(field)}=")


def test_keys_in_the_addresses_of_feeds_are_not_shown() -> None:
    settings = load_settings(
        fixtures_sources="a.json,https://x.example/f?key=k1,https://y.example/"
    )
    assert shown(settings, "fixtures_sources") == "a.json,https://x.example/f?…,https://y.example/"
    settings = load_settings(fixtures_lineups="https://x.example/{externalId}?key=k1")
    assert shown(settings, "fixtures_lineups") == "https://x.example/{externalId}?…"
