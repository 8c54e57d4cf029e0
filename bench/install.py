"""The peers' virtual environments: each peer in its own, at pinned versions, made when needed."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".peers"

PINS: dict[str, tuple[str, ...]] = {
    "pgqueuer": ("pgqueuer[asyncpg]==1.6.*", "uvloop>=0.23"),
    "procrastinate": ("procrastinate==3.10.*", "psycopg[binary,pool]", "uvloop>=0.23"),
    "dbos": ("dbos==3.3.*", "psycopg[binary]"),
}
"""What is installed for each peer; a peer that is not here runs with this interpreter."""


def _uv() -> str | None:
    """The uv beside this interpreter, or on the path."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.exists() else shutil.which("uv")


def interpreter(peer: str) -> Path:
    """The Python that runs a peer; its environment is made, or made anew if the pins changed."""
    pins = PINS.get(peer)
    if pins is None:
        return Path(sys.executable)
    home = CACHE / peer
    python = home / "bin" / "python"
    stamp = home / "pins.json"
    wanted = json.dumps([*pins, sys.version])
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"installing {peer}: {' '.join(pins)}", flush=True)
    shutil.rmtree(home, ignore_errors=True)
    uv = _uv()
    if uv is not None:
        environment = {**os.environ, "UV_SYSTEM_CERTS": "1"}
        subprocess.run(
            [uv, "venv", "-q", "-p", sys.executable, str(home)], env=environment, check=True
        )
        install = [uv, "pip", "install", "-q", "-p", str(python), *pins]
        subprocess.run(install, env=environment, check=True)
    else:
        venv.create(home, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *pins], check=True)
    stamp.write_text(wanted)
    return python
