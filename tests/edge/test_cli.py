"""The command line: help that reads well, exit codes that scripts can use, JSON for machines."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from handfast.edge.cli.app import COMMANDS


def handfast(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "handfast", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100", **environment},
    )


def test_help_lists_every_command_with_a_sentence() -> None:
    done = handfast("--help")
    assert done.returncode == 0
    for name, (_, summary) in COMMANDS.items():
        assert name in done.stdout
        assert summary in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(command: str) -> None:
    done = handfast(command, "--help")
    assert done.returncode == 0
    summary = COMMANDS[command][1].rstrip(".")
    assert summary.split()[0] in done.stdout


@pytest.mark.parametrize("words", [("nonsense",), ("up", "--port", "x"), ("migrate", "--colour")])
def test_wrong_usage_is_2(words: tuple[str, ...]) -> None:
    done = handfast(*words)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_settings_are_3() -> None:
    done = handfast("config", HANDFAST_PORT="many")
    assert done.returncode == 3
    assert "HANDFAST_PORT is 'many'" in done.stderr
    assert "Example: HANDFAST_PORT=8000" in done.stderr


def test_an_error_can_be_json() -> None:
    done = handfast("config", "--json", HANDFAST_PORT="many")
    assert json.loads(done.stdout)["error"]["code"] == "SETTINGS_INVALID"


def test_config_masks_secrets_and_names_unknown_settings() -> None:
    given = {
        "DATABASE_URL": "postgresql://u:hunter2@h/d",
        "HANDFAST_ADMIN_TOKEN": "hunter2-hunter2-hunter2",
        "HANDFAST_PROT": "1",
    }
    done = handfast("config", **given)
    assert done.returncode == 0
    assert "hunter2" not in done.stdout + done.stderr
    assert "did you mean HANDFAST_PORT?" in done.stderr
    listed = json.loads(handfast("config", "--json", **given).stdout)
    by_name = {row["name"]: row for row in listed["settings"]}
    assert by_name["DATABASE_URL"]["source"] == "environment"
    assert by_name["HANDFAST_PORT"] == {
        **by_name["HANDFAST_PORT"],
        "value": "8000",
        "source": "default",
    }


def test_migrate_and_check(empty_dsn: str) -> None:
    checked = handfast("migrate", "--check", "--json", DATABASE_URL=empty_dsn)
    assert checked.returncode == 6
    assert "0001_db_migrations.sql" in json.loads(checked.stdout)["pending"]
    done = handfast("migrate", DATABASE_URL=empty_dsn)
    assert done.returncode == 0
    assert "Applied: 0001_db_migrations.sql" in done.stdout
    again = handfast("migrate", DATABASE_URL=empty_dsn)
    assert "Nothing to apply" in again.stdout


def test_an_unreachable_database_is_5(tmp_path: Path) -> None:
    done = handfast(
        "migrate",
        DATABASE_URL="postgresql://u@127.0.0.1:1/d",
        HANDFAST_DATA_DIR=str(tmp_path / "d"),
    )
    assert done.returncode == 5
    assert "unset DATABASE_URL to use the embedded PostgreSQL" in done.stderr
    assert not (tmp_path / "d").exists(), "the embedded server is never started by accident"


def test_doctor_on_a_healthy_machine(dsn: str, redis_url: str) -> None:
    done = handfast("doctor", "--json", DATABASE_URL=dsn, REDIS_URL=redis_url)
    assert done.returncode == 0, done.stdout
    found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert set(found) >= {"python", "settings", "disk", "database", "clock", "migrations", "redis"}
    assert {f["verdict"] for f in found.values()} == {"ok"}
    assert "Valkey" in found["redis"]["found"]


def test_doctor_checks_the_embedded_server(tmp_path: Path) -> None:
    done = handfast("doctor", "--json", "--data-dir", str(tmp_path / "data"))
    assert done.returncode == 0, done.stdout
    found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert found["embedded binaries"]["verdict"] == "ok"
    assert found["data folder"]["found"] == str(tmp_path / "data")
    assert found["migrations"]["verdict"] == "note"


def test_doctor_explains_what_is_bad(tmp_path: Path) -> None:
    (tmp_path / "data" / "pgdata").mkdir(parents=True)
    (tmp_path / "data" / "pgdata" / "PG_VERSION").write_text("9.6\n")
    done = handfast(
        "doctor", "--data-dir", str(tmp_path / "data"), REDIS_URL="redis://127.0.0.1:1/0"
    )
    assert done.returncode == 7
    assert "PostgreSQL 9.6" in done.stdout
    assert "HANDFAST_POSTGRES_BIN" in done.stdout
    assert "Handfast goes on without it" in done.stdout


def test_psql(tmp_path: Path, dsn: str) -> None:
    embedded = handfast("psql", "--data-dir", str(tmp_path / "data"), "-Atc", "SELECT 40 + 2")
    assert embedded.stdout.strip() == "42"
    own = handfast("psql", "-Atc", "SELECT count(*) > 0 FROM db.migrations", DATABASE_URL=dsn)
    assert own.stdout.strip() == "t"
    failed = handfast("psql", "-Atc", "SELECT nonsense", DATABASE_URL=dsn)
    assert failed.returncode == 1


def test_server_status_and_stop(tmp_path: Path) -> None:
    folder = str(tmp_path / "data")
    assert handfast("server", "status", "--data-dir", folder).returncode == 1
    kept = handfast("migrate", "--data-dir", folder, HANDFAST_KEEP_SERVER="true")
    assert kept.returncode == 0, kept.stderr
    status = handfast("server", "status", "--json", "--data-dir", folder)
    assert status.returncode == 0
    assert json.loads(status.stdout)["running"] is True
    assert "Stopped" in handfast("server", "stop", "--data-dir", folder).stdout
    assert handfast("server", "status", "--data-dir", folder).returncode == 1
