"""A bare Starlette application behind the idempotency middleware.

Run it with `uvicorn --app-dir examples/idempotency starlette_app:app`, with DATABASE_URL set and
`handfast migrate` done. Then, twice: curl -d '{"item": "tea"}' -H 'X-User: ada'
-H 'Idempotency-Key: 5f0c9c1e-6d4e-4a53-9a3f-0e8f8c5b7d21' localhost:8000/orders
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from handfast.services.idempotency import (
    IdempotencyMiddleware,
    PostgresStore,
    required,
    transaction,
)

store = PostgresStore(os.environ["DATABASE_URL"])


async def order(request: Request) -> JSONResponse:
    item = (await request.json())["item"]
    async with transaction(request) as tx:  # committed together with the response
        if item == "nothing":
            return JSONResponse({"error": "There is no such item."}, status_code=404)
        number = await tx.fetchval(
            "INSERT INTO example_orders (item) VALUES ($1) RETURNING id", item
        )
    return JSONResponse({"id": number, "item": item}, status_code=201)


@asynccontextmanager
async def lifespan(_app: Starlette) -> AsyncIterator[None]:
    async with store:
        async with (await store.database()).transaction() as tx:
            await tx.execute("CREATE TABLE IF NOT EXISTS example_orders (id serial, item text)")
        yield


app = Starlette(
    routes=[Route("/orders", order, methods=["POST"])],
    middleware=[
        Middleware(
            IdempotencyMiddleware,
            store=store,
            # A real one takes it from what your authentication found out.
            principal=lambda scope: dict(scope["headers"]).get(b"x-user", b"").decode() or None,
            rules=[required("POST /orders")],
        )
    ],
    lifespan=lifespan,
)
