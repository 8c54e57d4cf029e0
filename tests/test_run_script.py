"""./run: what it says when Python is missing or old, and that it installs once."""

import shutil
import subprocess
from pathlib import Path

import pytest

from handfast.edge.cli.speaking.output import STARTED_AS

ROOT = Path(__file__).parents[1]
# What the script may expect of any machine.
COREUTILS = ("sh", "dirname", "basename", "cat", "cksum", "rm", "sed", "tr", "id", "chmod")

# Stands in for an interpreter: knows its version, makes an environment, counts what it installs.
FAKE_PYTHON = """#!/bin/sh
case "$*" in
    *version_info*) exit {too_old} ;;
    --version) echo "Python {version}" ;;
    "-m venv "*) mkdir -p "$3/bin" "$3/site" && cp "$0" "$3/bin/python" ;;
    *"pip install"*) echo "$*" >>"$INSTALLS" ;;
    *sysconfig*) echo "$VENV_SITE" ;;
    *) echo "ran: $*, in $PWD"; env >"$ENVIRONMENT" ;;
esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What ./run needs of a clone."""
    folder = tmp_path / "somebody's clone"
    (folder / "requirements").mkdir(parents=True)
    for name in ("run", "pyproject.toml", "requirements/run.lock", "requirements/uv.lock"):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A PATH with the everyday programs and no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in (*COREUTILS, "mkdir", "cp", "env"):
        found = shutil.which(name)
        assert found, name
        (folder / name).symlink_to(found)
    return folder


def fake_python(file: Path, version: str, *, too_old: bool) -> Path:
    file.write_text(FAKE_PYTHON.format(version=version, too_old=int(too_old)))
    file.chmod(0o755)
    return file


def run(
    clone: Path, programs: Path, *words: str, cwd: Path | None = None, **environment: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [clone / "run", *words],
        cwd=cwd or clone,
        env={
            "PATH": str(programs),
            "INSTALLS": str(clone / "installs"),
            "VENV_SITE": str(clone / ".venv" / "site"),
            "ENVIRONMENT": str(clone / "environment"),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_python_at_all(clone: Path, programs: Path) -> None:
    done = run(clone, programs, "up")
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr
    assert "no Python at all" in done.stderr
    assert "set PYTHON" in done.stderr
    assert not (clone / ".venv").exists()


def test_a_python_that_is_too_old(clone: Path, programs: Path) -> None:
    fake_python(programs / "python3", "3.9.2", too_old=True)
    done = run(clone, programs, "up")
    assert done.returncode != 0
    assert "this machine has Python 3.9.2" in done.stderr
    assert "apt-get install python3" in done.stderr
    assert not (clone / ".venv").exists()


def test_a_newer_one_under_another_name_is_found(clone: Path, programs: Path) -> None:
    fake_python(programs / "python3", "3.9.2", too_old=True)
    fake_python(programs / "python3.12", "3.12.1", too_old=False)
    done = run(clone, programs, "up")
    assert done.returncode == 0, done.stderr
    assert "ran: -m handfast up" in done.stdout


@pytest.mark.parametrize("name", ["old", "missing"])
def test_a_chosen_python_that_will_not_do(clone: Path, programs: Path, name: str) -> None:
    fake_python(programs / "python3", "3.12.1", too_old=False)
    chosen = clone / name
    if name == "old":
        fake_python(chosen, "3.9.2", too_old=True)
    done = run(clone, programs, "up", PYTHON=str(chosen))
    assert done.returncode != 0
    assert f"PYTHON is '{chosen}', which is missing or older" in done.stderr
    assert not (clone / ".venv").exists(), "the other one is not taken behind the user's back"


def test_the_second_run_installs_nothing(clone: Path, programs: Path) -> None:
    fake_python(programs / "python3", "3.12.1", too_old=False)
    first = run(clone, programs, "config", "--json")
    assert first.returncode == 0, first.stderr
    assert "installing from requirements/run.lock" in first.stderr
    installs = (clone / "installs").read_text()
    second = run(clone, programs, "config", "--json")
    assert second.returncode == 0
    assert second.stderr == ""
    assert second.stdout == f"ran: -m handfast config --json, in {clone}\n"
    assert (clone / "installs").read_text() == installs
    with (clone / "requirements" / "run.lock").open("a") as lock:
        lock.write("# changed\n")
    assert "installing" in run(clone, programs, "config").stderr


def test_it_runs_from_anywhere(clone: Path, programs: Path, tmp_path: Path) -> None:
    fake_python(programs / "python3", "3.12.1", too_old=False)
    done = run(clone, programs, "doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"ran: -m handfast doctor, in {clone}\n"
    assert (clone / ".venv" / "site" / "handfast.pth").read_text() == f"{clone}/src\n"


def test_compiled_modules_are_kept_and_only_in_the_environment(clone: Path, programs: Path) -> None:
    fake_python(programs / "python3", "3.12.1", too_old=False)
    done = run(clone, programs, "doctor", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stderr
    environment = (clone / "environment").read_text().splitlines()
    assert f"PYTHONPYCACHEPREFIX={clone}/.venv/pycache" in environment
    assert not [line for line in environment if line.startswith("PYTHONDONTWRITEBYTECODE")]


def test_there_is_a_handfast_afterwards(clone: Path, programs: Path) -> None:
    fake_python(programs / "python3", "3.12.1", too_old=False)
    assert run(clone, programs, "doctor").returncode == 0
    command = clone / ".venv" / "bin" / "handfast"
    for _ in ("when it installed", "when there was nothing to install"):
        done = subprocess.run(
            [command, "jobs", "list"],
            env={"PATH": str(programs), "ENVIRONMENT": str(clone / "environment")},
            cwd=clone.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == f"ran: -m handfast jobs list, in {clone.parent}\n", done.stderr
        assert f"{STARTED_AS}={command}" in (clone / "environment").read_text().splitlines()
        command.unlink()
        run(clone, programs, "doctor")


def test_it_says_how_it_was_called(clone: Path, programs: Path) -> None:
    fake_python(programs / "python3", "3.12.1", too_old=False)
    assert run(clone, programs, "doctor").returncode == 0
    assert f"{STARTED_AS}={clone}/run" in (clone / "environment").read_text().splitlines()


def test_help_needs_nothing(clone: Path, programs: Path) -> None:
    done = run(clone, programs)
    assert done.returncode == 0
    assert "./run test" in done.stdout
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_it_is_good_shell(script: str) -> None:
    checked = subprocess.run(
        ["sh", "-n", ROOT / script], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
