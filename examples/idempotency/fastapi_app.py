"""A FastAPI application behind the idempotency middleware; validation runs before it counts.

Run it with `uvicorn --app-dir examples/idempotency fastapi_app:app`, with DATABASE_URL set and
`handfast migrate` done.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel

from handfast.services.idempotency import (
    IdempotencyMiddleware,
    PostgresStore,
    required,
    transaction,
)

store = PostgresStore(os.environ["DATABASE_URL"])


class Order(BaseModel):
    item: str


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    async with store:
        async with (await store.database()).transaction() as tx:
            await tx.execute("CREATE TABLE IF NOT EXISTS example_orders (id serial, item text)")
        yield


app = FastAPI(lifespan=lifespan)
app.add_middleware(
    IdempotencyMiddleware,
    store=store,
    principal=lambda scope: dict(scope["headers"]).get(b"x-user", b"").decode() or None,
    rules=[required("POST /orders")],
)


@app.post("/orders", status_code=201)
async def order(request: Request, data: Order) -> dict[str, object]:
    async with transaction(request) as tx:
        number = await tx.fetchval(
            "INSERT INTO example_orders (item) VALUES ($1) RETURNING id", data.item
        )
        if data.item == "nothing":  # undoes the INSERT, and is remembered
            raise HTTPException(404, "There is no such item.")
    return {"id": number, "item": data.item}
