"""Handfast as somebody installs it: a wheel built from this tree, in an environment of its own.

The packages come by name, through the client that ``./run`` uses too, in the versions of the lock.
All test processes of a run share what is made here.
"""

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements" / "dev.lock"
SECONDS_MAX = 300.0  # a registry far away; usually everything is in the client's cache
CLIENT = {"UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy"}
# Who starts the program may have settings; whoever installed it has none of this clone's.
OURS = re.compile(r"HANDFAST_|DATABASE_URL|REDIS_URL|PYTHON(PATH|PYCACHEPREFIX|DONTWRITEBYTECODE)")


@dataclass(frozen=True)
class Environment:
    """A virtual environment with nothing in it but what was asked for."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        [found] = self.folder.glob("lib/python*/site-packages")
        return found

    def run(
        self, program: str, *words: str, stdin: str = "", **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        """A program of this environment, in a folder with nothing of ours in it."""
        inherited = {name: text for name, text in os.environ.items() if not OURS.match(name)}
        return subprocess.run(
            [self.folder / "bin" / program, *words],
            cwd=self.folder,
            env={**inherited, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )


def build_wheel(folder: Path) -> Path:
    """With the backend of ``pyproject.toml``, which the lock has: nothing is fetched."""
    folder.mkdir(parents=True, exist_ok=True)
    _do([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)])
    [wheel] = folder.glob("*.whl")
    return wheel


def install(wheel: Path, extras: str, folder: Path) -> Environment:
    """``pip install 'handfast[extras]'`` into an empty environment."""
    made = Environment(folder)
    versions = folder.parent / f"{folder.name}.constraints"
    versions.write_text("\n".join(_locked()))
    wanted = f"{wheel}[{extras}]" if extras else str(wheel)
    uv = Path(sys.executable).parent / "uv"
    if uv.is_file():
        _do([str(uv), "venv", "--quiet", "--python", sys.executable, str(folder)])
        client = [str(uv), "pip", "install", "--quiet", "--python", str(made.python)]
    else:
        _do([sys.executable, "-m", "venv", str(folder)])
        client = [str(made.python), "-m", "pip", "install", "--quiet"]
    _do([*client, "--constraint", str(versions), wanted])
    return made


def made_once(place: Path, make: Callable[[Path], object]) -> Path:
    """By the first of the test processes that wants it; ``place`` is there when it is whole."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = place.with_name(f"{place.name}.done")
        if not done.exists():
            make(place)
            done.touch()
    return place


def _locked() -> list[str]:
    """``name==version ; marker`` of the lock, without the hashes: the wheel has none."""
    lines = LOCK.read_text().replace("\\\n", " ").splitlines()
    return [line.partition("--hash")[0].strip() for line in lines if "==" in line]


def _do(command: list[str]) -> None:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **CLIENT},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
