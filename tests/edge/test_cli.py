"""The command line: help that reads well, exit codes that scripts can use, JSON for machines."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handfast.db.migrations.files import shipped
from handfast.edge.cli.app import COMMANDS
from handfast.edge.cli.speaking.output import STARTED_AS
from tests.support.command import run_handfast
from tests.support.corpus_rows import as_role
from tests.support.programs import path_of
from tests.support.valkey import Valkey


def handfast(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return run_handfast(*words, env={"COLUMNS": "100", **environment})


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


@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_printed_is_what_can_be_typed(tmp_path: Path, *, as_json: bool) -> None:
    """The command is named as it was called: by ./run, from a PATH, or as a module."""
    installed = tmp_path / "handfast"
    installed.write_text("")
    installed.chmod(0o755)
    words = ("config", "--json") if as_json else ("config",)
    ways = {
        f"{sys.executable} -m handfast config --help": {},
        "./run config --help": {STARTED_AS: "./run"},
        f"{installed} config --help": {STARTED_AS: str(installed)},
        "`handfast config --help": {STARTED_AS: str(installed), "PATH": str(tmp_path)},
    }
    for expected, environment in ways.items():
        done = handfast(*words, HANDFAST_PORT="many", **environment)
        assert expected in (done.stdout if as_json else done.stderr)
    helped = handfast("jobs", "show", "--help", **{STARTED_AS: "./run"})
    assert "Usage: ./run jobs show" in helped.stdout


def test_bash_completes_commands_and_options() -> None:
    made = handfast("completion", "bash")
    assert made.returncode == 0, made.stderr

    def completed(*words: str) -> list[str]:
        script = (
            f"{made.stdout}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
            "_handfast\nprintf '%s\\n' \"${COMPREPLY[@]}\""
        )
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert completed("handfast", "sched") == ["scheduler", "schedules"]
    assert completed("handfast", "jobs", "re") == ["retry", "revive"]
    assert completed("handfast", "jobs", "list", "--sta") == ["--state"]


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
    assert "handfast[otel]" in done.stdout.replace("\n", ""), "brackets are data, not markup"
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
    assert "db/0001_baseline.sql" in json.loads(checked.stdout)["pending"]
    done = handfast("migrate", DATABASE_URL=empty_dsn)
    assert done.returncode == 0
    assert "Applied: db/0001_baseline.sql" in done.stdout
    again = handfast("migrate", DATABASE_URL=empty_dsn)
    count = len(shipped().functions)
    wanted = "1 function is up to date." if count == 1 else f"{count} functions are up to date."
    assert again.stdout == f"Nothing to apply; {wanted}\n"


@pytest.mark.parametrize(
    ("words", "environment", "said"),
    [
        (("--port", "99999"), {}, "--port is '99999'"),
        ((), {"HANDFAST_PORT": "99999"}, "HANDFAST_PORT is '99999'"),
    ],
)
def test_a_wrong_port_is_answered_as_it_was_given(
    words: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    done = handfast("up", *words, **environment)
    assert done.returncode == 3
    assert said in done.stderr


def test_an_empty_address_is_no_address() -> None:
    listed = json.loads(handfast("config", "--json", DATABASE_URL="").stdout)
    row = next(row for row in listed["settings"] if row["name"] == "DATABASE_URL")
    assert (row["value"], row["source"]) == (None, "default")


def test_the_demo_keeps_its_hands_off_a_real_database() -> None:
    done = handfast("demo", DATABASE_URL="postgresql://u:hunter2@127.0.0.1:1/d")
    assert done.returncode == 3
    assert "--use-database-url" in done.stderr
    assert "hunter2" not in done.stderr
    meant = handfast(
        *("demo", "--use-database-url", "--port", "0"), DATABASE_URL="postgresql://u@127.0.0.1:1/d"
    )
    assert meant.returncode == 5, "it was tried"


def test_an_unreachable_database_is_5(tmp_path: Path) -> None:
    done = handfast(
        "migrate",
        DATABASE_URL="postgresql://u@127.0.0.1:1/d",
        HANDFAST_DATA_DIR=str(tmp_path / "d"),
    )
    assert done.returncode == 5
    assert "unset DATABASE_URL to use the embedded PostgreSQL" in done.stderr
    assert "/d: Connection refused." in done.stderr
    assert not (tmp_path / "d").exists(), "the embedded server is never started by accident"


def test_doctor_on_a_healthy_machine(dsn: str, redis_url: str) -> None:
    done = handfast(
        "doctor",
        "--json",
        DATABASE_URL=dsn,
        REDIS_URL=redis_url,
        HANDFAST_RUNS_DATABASE_URL=as_role(dsn),
    )
    assert done.returncode == 0, done.stdout
    found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert set(found) == {
        *("python", "settings", "database", "clock", "migrations", "search path"),
        *("match runs", "redis"),
    }
    runs = found.pop("match runs")  # all is well, but PUBLIC's rights could be fewer
    assert (runs["verdict"], "REVOKE TEMPORARY" in runs["advice"]) == ("note", True)
    assert {f["verdict"] for f in found.values()} == {"ok"}
    assert "Valkey" in found["redis"]["found"]


@pytest.mark.needs("redis-server")
def test_doctor_knows_debians_redis(dsn: str, tmp_path: Path) -> None:
    with Valkey(tmp_path, path_of("redis-server")) as redis:
        done = handfast("doctor", "--json", DATABASE_URL=dsn, REDIS_URL=redis.url)
    found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert found["redis"]["found"].startswith("Redis ")


def test_doctor_checks_the_embedded_server(tmp_path: Path) -> None:
    done = handfast("doctor", "--json", "--data-dir", str(tmp_path / "data"))
    assert done.returncode == 0, done.stdout
    found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert found["embedded binaries"]["verdict"] == "ok"
    assert found["data folder"]["found"] == str(tmp_path / "data")
    assert found["migrations"]["verdict"] == "note"


def test_doctor_takes_the_direct_way_too(dsn: str) -> None:
    given = {"DATABASE_URL": dsn, "HANDFAST_DIRECT_DATABASE_URL": "postgresql://u@127.0.0.1:1/d"}
    done = handfast("doctor", "--json", **given)
    assert done.returncode == 7
    found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert found["database"]["verdict"] == "ok"
    assert found["direct database"]["verdict"] == "bad"
    assert "HANDFAST_DIRECT_DATABASE_URL is right" in found["direct database"]["advice"]
    done = handfast("doctor", "--json", **{**given, "HANDFAST_DIRECT_DATABASE_URL": dsn})
    found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert found["direct database"]["verdict"] == "ok"


def test_doctor_warns_of_private_webhooks_in_production(dsn: str) -> None:
    private = {"DATABASE_URL": dsn, "HANDFAST_WEBHOOKS_ALLOW_PRIVATE": "true"}
    production = {"HANDFAST_MODE": "production", "HANDFAST_ADMIN_TOKEN": "t" * 40}

    def found(**settings: str) -> dict[str, Any]:
        done = handfast("doctor", "--json", **settings)
        assert done.returncode == 0, done.stdout
        return {f["check"]: f for f in json.loads(done.stdout)["findings"]}

    assert found(**private, **production)["webhooks"]["verdict"] == "note"
    assert "webhooks" not in found(**private), "that is what development is for"
    assert "webhooks" not in found(DATABASE_URL=dsn, **production)


@pytest.mark.parametrize("url", ["redis://host:many/0", "redis://[otel]/0", "redis://127.0.0.1:1"])
def test_doctor_survives_any_redis_address(dsn: str, url: str) -> None:
    done = handfast("doctor", "--json", DATABASE_URL=dsn, REDIS_URL=url)
    assert "Traceback" not in done.stderr
    if done.returncode != 3:  # some are refused as settings
        found = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
        assert found["redis"]["verdict"] == "note"


@pytest.mark.on_linux
def test_doctor_reports_a_full_disk_once(tmp_path: Path) -> None:
    script = 'mount -t tmpfs -o size=20m tmpfs "$1" && exec "$2" -m handfast doctor --json'
    done = subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount"),
            *("sh", "-c", f'{script} --data-dir "$1/data"', "sh", str(tmp_path), sys.executable),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    findings = json.loads(done.stdout)["findings"]
    assert [f["check"] for f in findings if f["verdict"] == "bad"] == ["disk"]
    assert done.stdout.count("20 MB are free") + done.stdout.count("19 MB are free") == 1


def test_doctor_shows_paths_whole_and_brackets_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "[bold]a" / ("long" * 25)
    done = handfast("doctor", "--data-dir", str(folder), COLUMNS="60")
    assert done.returncode == 0, done.stdout
    assert str(folder) in "".join(line.strip() for line in done.stdout.splitlines())
    assert "…" not in done.stdout


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
    own = handfast(
        "psql", "-Atc", "SELECT count(*) > 0 FROM handfast_db.migrations", DATABASE_URL=dsn
    )
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
    told = json.loads(status.stdout)
    assert told["running"] is True
    assert {"guardianPid", "postmasterPid", "socketDir", "privileges"} <= set(told["server"])
    assert not [name for name in (*told, *told["server"]) if "_" in name]
    text = handfast("server", "status", "--data-dir", folder).stdout
    assert f"  privileges  {told['server']['privileges']}: " in text
    assert "Stopped" in handfast("server", "stop", "--data-dir", folder).stdout
    assert handfast("server", "status", "--data-dir", folder).returncode == 1
