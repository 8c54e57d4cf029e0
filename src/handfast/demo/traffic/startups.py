"""Somebody asks for investors, again and again: also for companies that nobody knows."""

from handfast.demo.stage import Stage
from handfast.demo.traffic.pacing import CHANCE, about_every, one_in

APART_SECONDS = 8.0
UNKNOWN = 50  # companies that are asked for and not in the corpus

_ANY = """
SELECT canonical_url FROM handfast.startup_uploads
OFFSET floor(random() * (SELECT count(*) FROM handfast.startup_uploads)) LIMIT 1"""


async def ask_for_investors(stage: Stage) -> None:
    runs = await stage.hf.match_runs()
    async for _ in about_every(APART_SECONDS):
        known = None if one_in(8) else await stage.ask(_ANY)
        await runs.start(known or f"https://nobody-knows-{CHANCE.randrange(UNKNOWN)}.example")
