"""An endpoint on this machine, which the server may not send to: each attempt is refused before
anything is sent."""

from handfast.db.pool import Database
from handfast.engine.events import emit
from handfast.services.webhooks import endpoints


async def seed(database: Database) -> None:
    async with database.transaction() as tx:
        await endpoints.add_endpoint(
            tx,
            "https://127.0.0.1:9/hook",
            types=["shop.*"],
            description="<b>the shop</b>",
            allow_private=True,
        )
    async with database.transaction() as tx:
        await emit(tx, "shop.shipped", "order:1", {"orderId": 1})
