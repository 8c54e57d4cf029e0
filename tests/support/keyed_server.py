"""The shop as a server process, which kills itself where it is told to.

    python -m tests.support.keyed_server '{"dsn": …}'

A request with the header ``x-die: <phase>`` ends the whole process with SIGKILL in that phase, so
that nothing is tidied up.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import uvicorn
from prometheus_client import generate_latest

from handfast.base.telemetry import REGISTRY
from handfast.db.connect import Target
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import Database
from handfast.services.idempotency import IdempotencyMiddleware, PostgresStore, RedisCache
from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.stores.store import Call, ClaimAnswer
from tests.support.keyed_shop import RULES, make_shop, who

ROOT = Path(__file__).parents[2]
DIE: ContextVar[str] = ContextVar("die", default="")


def die_in(phase: str) -> None:
    if DIE.get() == phase:
        os.kill(os.getpid(), signal.SIGKILL)


class DyingStore(PostgresStore):
    async def claim(self, call: Call) -> ClaimAnswer:
        die_in("before the claim")
        claimed = await super().claim(call)
        die_in("after the claim")
        return claimed

    async def commit(self, call: Call, token: int, answer: KeptAnswer, tx: OpenTransaction) -> bool:
        die_in("before the record")
        if DIE.get() == "before the commit":  # recorded, and then no COMMIT
            await super().record_in(tx, call, token, answer)
            die_in("before the commit")
        return await super().commit(call, token, answer, tx)


def dying(app: Any) -> Any:
    """Outermost: knows when the first byte would leave."""

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if scope["path"] == "/metrics":
            page = generate_latest(REGISTRY)
            length = [(b"content-length", b"%d" % len(page))]
            await send({"type": "http.response.start", "status": 200, "headers": length})
            await send({"type": "http.response.body", "body": page})
            return
        DIE.set(dict(scope["headers"]).get(b"x-die", b"").decode())

        async def send_or_die(message: Any) -> None:
            if message["type"] == "http.response.start":
                die_in("before the first byte")
            else:
                half = message.get("body", b"")[:5]
                if DIE.get() == "after the first byte":
                    await send({"type": "http.response.body", "body": half, "more_body": True})
                    await asyncio.sleep(0.1)
                    die_in("after the first byte")
            await send(message)

        await app(scope, receive, send_or_die)

    return outer


async def serve(
    dsn: str, redis: str | None, *, lease: float, pool_size: int, wait: float, pooler: bool
) -> None:
    bound = socket.create_server(("127.0.0.1", 0), backlog=512)
    target = Target(dsn, transaction_pooling=pooler)
    async with await Database.open(target, pool_size=pool_size) as database:
        store = DyingStore(
            database,
            lease=timedelta(seconds=lease),
            cache=RedisCache(redis) if redis else None,
        )
        app = IdempotencyMiddleware(make_shop(), store, principal=who, rules=RULES, wait=wait)
        config = uvicorn.Config(dying(app), lifespan="off", log_level="error", http="httptools")
        # The socket listens already: whoever connects now is served in a moment.
        sys.stdout.write(f"ready {bound.getsockname()[1]}\n")
        sys.stdout.flush()
        await uvicorn.Server(config).serve(sockets=[bound])


@dataclass
class Keyed:
    """A running server; use as a context manager."""

    dsn: str
    redis: str | None = None
    lease: float = 1.0
    pool_size: int = 5
    wait: float = 60.0  # longer than a busy machine needs: who waits is answered in the end
    pooler: bool = False

    @classmethod
    @contextmanager
    def several(cls, count: int, dsn: str, redis: str) -> Iterator[list[Self]]:
        """Started at the same time. Their leases outlast the pauses of a busy machine."""
        with ThreadPoolExecutor(count) as threads, ExitStack() as stack:
            made = [cls(dsn, redis, lease=10.0) for _ in range(count)]
            for started in [threads.submit(stack.enter_context, one) for one in made]:
                started.result()
            yield made

    def __enter__(self) -> Self:
        options = {
            "dsn": self.dsn,
            "redis": self.redis,
            "lease": self.lease,
            "pool_size": self.pool_size,
            "wait": self.wait,
            "pooler": self.pooler,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.keyed_server", json.dumps(options)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("ready "), line
        self.port = int(line.split()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    def kill(self) -> None:
        self.process.kill()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()


if __name__ == "__main__":
    asyncio.run(serve(**msgspec.json.decode(sys.argv[1])))
