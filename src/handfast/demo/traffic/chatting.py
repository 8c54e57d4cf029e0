"""Matched people write to each other."""

from handfast.apps.chat.messages import send_message
from handfast.demo.stage import Stage
from handfast.demo.traffic.pacing import CHANCE, about_every

APART_SECONDS = 7.0
SAID = (
    "Hello! Your walk along the river sounds good.",
    "Do you really make your own bread?",
    "Coffee on Saturday?",
    "I had to look up where that is :)",
    "What are you reading?",
)

_MATCH = """
SELECT id, user1_id, user2_id FROM handfast.matches WHERE status = 'active'
ORDER BY random() LIMIT 1"""


async def write(stage: Stage) -> None:
    async for _ in about_every(APART_SECONDS):
        async with stage.hf.transaction() as tx:
            match = await tx.fetchrow(_MATCH)
            if match is not None:
                sender = CHANCE.choice((match["user1_id"], match["user2_id"]))
                await send_message(tx, sender, match["id"], CHANCE.choice(SAID), None)
