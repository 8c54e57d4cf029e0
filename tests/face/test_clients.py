"""Any client, in any language, by the schema ``handfast`` alone: each does and sees the same.

The login may use the face and nothing else, so whatever needed more would fail.
"""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import psycopg
import pytest
from psycopg.types.json import Jsonb
from sqlalchemy import ARRAY, TIMESTAMP, MetaData, Table, bindparam, create_engine, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from handfast.db.embedded.binaries import find_binaries
from tests.support.corpus_rows import as_role
from tests.support.node import NODE, NPM

HERE = Path(__file__).parent
LATER = ["2100-01-01Z", "2100-01-02Z"]


def expected(name: str) -> dict[str, Any]:
    return {
        "created": True,
        "again": [False, True],
        "many": ["scheduled", "scheduled"],
        "waiting": ["ready", {"order": 1}, 0],
        "held": [True, f"{name}-1"],
        "done": [True, False],
        "ended": ["succeeded", {"ok": True}],
        "keys": [f"{name}-1", f"{name}-2", f"{name}-3"],
    }


@pytest.fixture
async def face_dsn(dsn: str) -> AsyncIterator[str]:
    """As a login that may use the face, and nothing else."""
    name = f"client_{uuid4().hex[:8]}"
    owner = await asyncpg.connect(dsn)
    await owner.execute(
        f"CREATE ROLE {name} LOGIN; GRANT USAGE ON SCHEMA handfast TO {name};"
        f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA handfast TO {name};"
        f"GRANT SELECT ON ALL TABLES IN SCHEMA handfast TO {name}"
    )
    yield as_role(dsn, name)
    await owner.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")
    await owner.close()


def by_psql(dsn: str, _folder: Path) -> dict[str, Any]:
    psql = find_binaries().bin / "psql"
    return printed([psql, "-X", "-q", dsn, "-f", HERE / "client.sql"])


def by_node(dsn: str, folder: Path) -> dict[str, Any]:
    quietly = ("--no-save", "--no-audit", "--no-fund", "--ignore-scripts")
    npm: list[str | Path] = [*NPM, "install", *quietly, "--prefix", folder, "pg"]
    subprocess.run(npm, check=True, capture_output=True)
    return printed([NODE, HERE / "client.js", folder, dsn])


def printed(command: list[str | Path]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def by_psycopg(dsn: str, _folder: Path) -> dict[str, Any]:
    with psycopg.connect(dsn, autocommit=True) as client:

        def one(sql: str, *given: object) -> Any:
            return client.execute(sql, given).fetchone()

        with client.transaction():
            job, created, _ = one(
                "SELECT * FROM handfast.enqueue(%s, %s, %s, lane => %s)",
                *("client.ship", "psycopg-1", Jsonb({"order": 1}), "clients"),
            )
        with client.transaction(force_rollback=True):
            one("SELECT handfast.enqueue(%s, %s)", "client.ship", "psycopg-undone")
        again = one("SELECT * FROM handfast.enqueue(%s, %s)", "client.ship", "psycopg-1")
        many = client.execute(
            "SELECT state FROM handfast.enqueue_many(%s, %s, %s, due_at => %s::timestamptz[])",
            ("client.later", ["psycopg-2", "psycopg-3"], [Jsonb({"n": 2}), Jsonb({"n": 3})], LATER),
        ).fetchall()
        waiting = one("SELECT state, payload, attempts FROM handfast.jobs WHERE id = %s", job)
        held = one(
            "SELECT id, token, key FROM handfast.claim(%s, lease => '1 minute')", ["clients"]
        )
        done = one("SELECT handfast.finish(%s, %s, %s)", *held[:2], Jsonb({"ok": True}))
        late = one("SELECT handfast.finish(%s, %s)", *held[:2])
        ended = one(
            "SELECT state, result FROM handfast.jobs WHERE (kind, key) = (%s, %s)",
            *("client.ship", "psycopg-1"),
        )
        keys = client.execute(
            "SELECT key FROM handfast.jobs WHERE key LIKE 'psycopg-%%' ORDER BY 1", ()
        ).fetchall()
        return {
            "created": created,
            "again": [again[1], again[0] == job],
            "many": [state for (state,) in many],
            "waiting": list(waiting),
            "held": [held[0] == job, held[2]],
            "done": [done[0], late[0]],
            "ended": list(ended),
            "keys": [key for (key,) in keys],
        }


def by_sqlalchemy(dsn: str, _folder: Path) -> dict[str, Any]:
    """With the view as SQLAlchemy finds it in the catalog."""
    engine = create_engine(dsn.replace("postgresql://", "postgresql+psycopg://", 1))
    try:
        with Session(engine) as session:
            return _by_sqlalchemy(session)
    finally:
        engine.dispose()


ENQUEUE = text(
    "SELECT id, created FROM handfast.enqueue(:kind, :key, payload => :payload, lane => :lane)"
).bindparams(bindparam("payload", type_=JSONB))
FINISH = text("SELECT handfast.finish(:id, :token, :result)").bindparams(
    bindparam("result", type_=JSONB)
)
MANY = text(
    "SELECT state FROM handfast.enqueue_many('client.later', :keys, due_at => :due)"
    " ORDER BY ordinal"
).bindparams(bindparam("due", type_=ARRAY(TIMESTAMP(timezone=True))))
CLAIM = text("SELECT id, token, key FROM handfast.claim(:lanes, lease => '1 minute')")


def _by_sqlalchemy(session: Session) -> dict[str, Any]:
    jobs = Table("jobs", MetaData(schema="handfast"), autoload_with=session.connection())
    session.rollback()

    def enqueued(key: str) -> Any:
        given = {"kind": "client.ship", "key": key, "payload": {"order": 1}, "lane": "clients"}
        return session.execute(ENQUEUE, given).one()

    with session.begin():
        made = enqueued("sqlalchemy-1")
    enqueued("sqlalchemy-undone")
    session.rollback()
    with session.begin():
        again = enqueued("sqlalchemy-1")
        due = [datetime(2100, 1, day, tzinfo=UTC) for day in (1, 2)]
        many = session.scalars(MANY, {"keys": ["sqlalchemy-2", "sqlalchemy-3"], "due": due}).all()
        row = select(jobs.c.state, jobs.c.payload, jobs.c.attempts).where(jobs.c.id == made.id)
        waiting = session.execute(row).one()
    with session.begin():
        held = session.execute(CLAIM, {"lanes": ["clients"]}).one()
        proof = {"id": held.id, "token": held.token}
        done = session.scalar(FINISH, {**proof, "result": {"ok": True}})
        late = session.scalar(FINISH, {**proof, "result": None})
        ended = select(jobs.c.state, jobs.c.result).where(
            jobs.c.kind == "client.ship", jobs.c.key == "sqlalchemy-1"
        )
        mine = select(jobs.c.key).where(jobs.c.key.like("sqlalchemy-%")).order_by(jobs.c.key)
        return {
            "created": made.created,
            "again": [again.created, again.id == made.id],
            "many": list(many),
            "waiting": list(waiting),
            "held": [held.id == made.id, held.key],
            "done": [done, late],
            "ended": list(session.execute(ended).one()),
            "keys": list(session.scalars(mine)),
        }


CLIENTS: dict[str, Callable[[str, Path], dict[str, Any]]] = {
    "psql": by_psql,
    "psycopg": by_psycopg,
    "sqlalchemy": by_sqlalchemy,
}


@pytest.mark.parametrize("name", CLIENTS)
async def test_it_enqueues_works_and_reads(name: str, face_dsn: str, tmp_path: Path) -> None:
    assert await asyncio.to_thread(CLIENTS[name], face_dsn, tmp_path) == expected(name)


@pytest.mark.needs("npm")
async def test_so_does_node_postgres(face_dsn: str, tmp_path: Path) -> None:
    assert await asyncio.to_thread(by_node, face_dsn, tmp_path) == expected("node")
