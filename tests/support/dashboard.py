"""The dashboard's build: types from the API's own description, then Vite's files, then a record.

``./run dashboard`` writes them, ``./run check`` builds again elsewhere and compares every byte.
``./run test`` has no time to build: it compares the record, ``build.json``, which names what the
files were built from and what they are.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.edge.http.openapi.keys import with_keys
from handfast.wiring import load_settings
from tests.support.node import DASHBOARD, MODULES, NODE, ROOT, environment, install
from tests.support.systems import whole_system

BUILT = ROOT / "src" / "handfast" / "edge" / "dashboard"
TYPES = DASHBOARD / "src" / "api" / "schema.ts"
RECORD = "build.json"
PAGES = ("index.html", "match.html")


def sources() -> list[Path]:
    """Everything that the built files come from, and nothing else."""
    named = [*PAGES, "vite.config.ts", "package.json", "package-lock.json"]
    folders = [DASHBOARD / name for name in ("src", "match-run/src")]
    found = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    kept = [file for file in found if ".test." not in file.name]
    return sorted([*(DASHBOARD / name for name in named), *kept])


def hash_of_sources() -> str:
    digest = sha256()
    for file in sources():
        digest.update(f"{file.relative_to(DASHBOARD).as_posix()}\0".encode())
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def built_files(folder: Path = BUILT) -> dict[str, bytes]:
    """All but the record."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != RECORD
    }


def record_of(files: dict[str, bytes]) -> dict[str, Any]:
    return {
        "sources": hash_of_sources(),
        "files": {name: sha256(content).hexdigest() for name, content in files.items()},
    }


async def described() -> dict[str, Any]:
    """The OpenAPI of everything switched on. No database is asked for it."""
    target = Target("postgresql://nobody@127.0.0.1:1/nothing")
    database = Database(asyncpg.create_pool(target.dsn, min_size=0), target, "described")
    api = create_api(whole_system(load_settings(), database, target), "of-nobody-and-never-used")
    document = json.loads(msgspec.json.encode(api.openapi_schema.to_schema()))
    return with_keys(document, api.state.routes)


def types() -> str:
    """Of everything that the API answers, as TypeScript."""
    done = subprocess.run(
        [NODE, "generate.mjs"],
        cwd=DASHBOARD / "codegen",
        env=environment(),
        input=json.dumps(asyncio.run(described())),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [NODE, MODULES / "vite" / "bin" / "vite.js", "build", "--logLevel", "warn"],
        cwd=DASHBOARD,
        env=environment() | {"DASHBOARD_OUT": os.fspath(folder)},
        check=True,
    )
    record = record_of(built_files(folder))
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n")


def check() -> list[str]:
    """What differs from what is committed."""
    wrong = []
    if types() != TYPES.read_text():
        wrong.append("dashboard/src/api/schema.ts is not what the API describes")
    with tempfile.TemporaryDirectory() as made:
        build(Path(made))
        fresh, kept = built_files(Path(made)), built_files()
    names = sorted(name for name in fresh | kept if fresh.get(name) != kept.get(name))
    return wrong + [f"{BUILT.relative_to(ROOT)}/{name} differs" for name in names]


def main(arguments: list[str]) -> int:
    install()
    if arguments == ["--check"]:
        wrong = check()
        for line in wrong:
            sys.stderr.write(f"run: {line}\n")
        if wrong:
            sys.stderr.write("run: build it with ./run dashboard, and commit what it writes\n")
        return len(wrong) > 0
    TYPES.write_text(types())
    build(BUILT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
