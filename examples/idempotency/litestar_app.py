"""A Litestar application behind the idempotency middleware.

Run it with `uvicorn --app-dir examples/idempotency litestar_app:app`, with DATABASE_URL set and
`handfast migrate` done.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import msgspec
from litestar import Litestar, Request, post
from litestar.exceptions import NotFoundException

from handfast.services.idempotency import (
    IdempotencyMiddleware,
    PostgresStore,
    required,
    transaction,
)

store = PostgresStore(os.environ["DATABASE_URL"])


class Order(msgspec.Struct):
    item: str


@post("/orders")
async def order(request: Request[Any, Any, Any], data: Order) -> dict[str, object]:
    async with transaction(request) as tx:
        number = await tx.fetchval(
            "INSERT INTO example_orders (item) VALUES ($1) RETURNING id", data.item
        )
    if data.item == "nothing":
        raise NotFoundException("There is no such item.")
    return {"id": number, "item": data.item}


@asynccontextmanager
async def lifespan(_app: Litestar) -> AsyncIterator[None]:
    async with store:
        async with (await store.database()).transaction() as tx:
            await tx.execute("CREATE TABLE IF NOT EXISTS example_orders (id serial, item text)")
        yield


api = Litestar([order], lifespan=[lifespan])
# Around the whole application: any ASGI application can be wrapped like this.
app = IdempotencyMiddleware(
    cast("Any", api),
    store,
    principal=lambda scope: dict(scope["headers"]).get(b"x-user", b"").decode() or None,
    rules=[required("POST /orders")],
)
