"""A Django application in one file behind the idempotency middleware, with an async view.

Run it with `uvicorn --app-dir examples/idempotency django_app:app`, with DATABASE_URL set and
`handfast migrate` done. Django's own ORM has connections of its own: what must be committed
together with the response is written through the request's transaction, as here.
"""

import json
import os

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path

from handfast.services.idempotency import (
    IdempotencyMiddleware,
    PostgresStore,
    required,
    transaction,
)

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="only-an-example")  # noqa: S106
django.setup()

store = PostgresStore(os.environ["DATABASE_URL"])


async def order(request: HttpRequest) -> JsonResponse:
    item = json.loads(request.body)["item"]
    async with transaction(request) as tx:
        await tx.execute("CREATE TABLE IF NOT EXISTS example_orders (id serial, item text)")
        number = await tx.fetchval(
            "INSERT INTO example_orders (item) VALUES ($1) RETURNING id", item
        )
    if item == "nothing":
        return JsonResponse({"error": "There is no such item."}, status=404)
    return JsonResponse({"id": number, "item": item}, status=201)


urlpatterns = [path("orders", order)]

app = IdempotencyMiddleware(
    get_asgi_application(),
    store,
    principal=lambda scope: dict(scope["headers"]).get(b"x-user", b"").decode() or None,
    rules=[required("POST /orders")],
)
