"""The composition root: what is made in development is made once, whole, and by one process."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from pydantic import SecretStr

from handfast import wiring
from handfast.base.errors import SettingsError
from handfast.base.ids import SECRET_LENGTH_MIN
from handfast.base.settings import Mode, Settings
from handfast.db.embedded.errors import DataFolderUnusable
from handfast.engine.kept_secrets import KeptSecret
from handfast.wiring import admin_token, idempotency_secret, load_settings

pytestmark = pytest.mark.on_lowest


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path / "data")


def test_the_token_is_made_once(settings: Settings) -> None:
    made = admin_token(settings)
    assert made.made_now
    assert admin_token(settings) == KeptSecret(made.value, made_now=False)
    file = settings.data_dir / wiring.ADMIN_TOKEN_FILE
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in settings.data_dir.iterdir()] == [file.name]


def test_many_at_once_agree(settings: Settings) -> None:
    together = Barrier(16)

    def start(_: int) -> KeptSecret:
        together.wait()
        return admin_token(settings)

    with ThreadPoolExecutor(16) as pool:
        tokens = list(pool.map(start, range(16)))
    assert len({token.value for token in tokens}) == 1
    assert sum(token.made_now for token in tokens) == 1


def test_a_crash_while_writing_leaves_no_file(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as crashing:
        crashing.setattr("os.link", crash)
        with pytest.raises(KeyboardInterrupt):
            admin_token(settings)
    assert list(settings.data_dir.iterdir()) == []
    assert admin_token(settings).made_now


def test_an_empty_file_is_not_a_token(settings: Settings) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / wiring.ADMIN_TOKEN_FILE).touch()
    with pytest.raises(DataFolderUnusable, match="is empty"):
        admin_token(settings)


def test_the_idempotency_secret_is_made_once_and_kept(settings: Settings) -> None:
    made = idempotency_secret(settings)
    assert len(made) >= SECRET_LENGTH_MIN
    assert idempotency_secret(settings) == made
    assert admin_token(settings).value != made
    file = settings.data_dir / wiring.IDEMPOTENCY_SECRET_FILE
    assert file.stat().st_mode & 0o777 == 0o600
    chosen = settings.model_copy(update={"idempotency_secret": SecretStr("x" * 40)})
    assert idempotency_secret(chosen) == "x" * 40


def test_production_makes_no_idempotency_secret(settings: Settings) -> None:
    production = settings.model_copy(update={"mode": Mode.PRODUCTION})
    with pytest.raises(SettingsError, match="HANDFAST_IDEMPOTENCY_SECRET is not set"):
        idempotency_secret(production)
    assert not settings.data_dir.exists()
