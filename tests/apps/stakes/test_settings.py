"""Settings of stakes: the source's names are taken, and ours win."""

import pytest

from handfast.apps.stakes.settings import StakesSettings
from handfast.base.errors import SettingsError
from handfast.wiring import load_settings


def ours() -> StakesSettings:
    return load_settings().of(StakesSettings)


def test_the_names_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (ours().redis_key_prefix, ours().rehydrate_on_start) == ("queue:stake:", True)
    monkeypatch.setenv("REDIS_KEY_PREFIX", "bare:")
    monkeypatch.setenv("REHYDRATE_ON_START", "false")
    assert (ours().redis_key_prefix, ours().rehydrate_on_start) == ("bare:", False)
    monkeypatch.setenv("HANDFAST_REDIS_KEY_PREFIX", "ours:")
    monkeypatch.setenv("HANDFAST_REHYDRATE_ON_START", "true")
    assert (ours().redis_key_prefix, ours().rehydrate_on_start) == ("ours:", True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDIS_KEY_PREFIX", "with space:"),
        ("HANDFAST_REDIS_KEY_PREFIX", "x" * 101),
        ("REHYDRATE_ON_START", "perhaps"),
    ],
)
def test_what_is_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=r"REDIS_KEY_PREFIX|REHYDRATE_ON_START"):
        load_settings()
