"""A scene with a corpus: one startup, many clicks, one run."""

import asyncio
import time

from handfast.demo.scenes import CALLERS
from handfast.demo.stage import PATIENCE_SECONDS, ShownFact, Stage

STARTUPS, INVESTORS, KEEP = 2_000, 500, 50  # 100,000 pairs: some seconds, and not on every start

_SPELLINGS = ("https://{}", "http://{}/", "www.{}", "HTTPS://{}:443/#about", "{}?utm_source=demo")
_CORPUS = "SELECT startup_id FROM handfast.startup_uploads LIMIT 1"
# The one that most others would like to be: the best first match of all.
_STARTUP = """
SELECT s.name, s.canonical_url
FROM handfast.startup_uploads AS s
JOIN handfast.startup_investor_matches AS m USING (startup_id)
ORDER BY m.score DESC, s.startup_id LIMIT 1"""


async def match_run(stage: Stage) -> ShownFact:
    if await stage.ask(_CORPUS) is None:
        await _corpus(stage)
    async with stage.database.connection() as connection:
        (name, address), *_ = await connection.fetch(_STARTUP)
    host = address.removeprefix("https://")
    runs = await stage.hf.match_runs()
    clicked = time.monotonic()
    clicks = await asyncio.gather(
        *(runs.start(_SPELLINGS[n % len(_SPELLINGS)].format(host)) for n in range(CALLERS))
    )
    ids = {click.run_id for click in clicks}
    run = clicks[0]
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            found = await runs.get(run.run_id)
            if found.ended:
                break
            await asyncio.sleep(0.005)
    took = (time.monotonic() - clicked) * 1000
    made = sum(click.created for click in clicks)
    when = f"ready after {took:.0f} ms" if made else "ready since an earlier run of the demo"
    return ShownFact(
        "Twenty clicks are one run",
        f"{CALLERS} clicks in {len(_SPELLINGS)} spellings, {len(ids)} run, {when}: "
        f"{found.match_count} of {INVESTORS} investors",
        len(ids) == 1 and made < 2 and found.status == "ready",
        hint=f"{name}, {host}. Try it yourself:\n"
        f"  curl -s {stage.url}/api/match/run -H 'content-type: application/json' "
        f'-d \'{{"url": "{host}"}}\'\n'
        f"  curl -s '{stage.url}/api/match/run/{run.run_id}?limit=3'",
    )


async def _corpus(stage: Stage) -> None:
    """Generated startups and investors, and the pairs that scoring makes of them."""
    # It brings numpy along, which a demo that has its corpus need not wait for.
    from handfast.apps.runs.corpus.generated import generate_version  # noqa: PLC0415
    from handfast.apps.runs.corpus.versions.publish import publish  # noqa: PLC0415

    system = await stage.hf.open()
    built = await generate_version(system.direct, startups=STARTUPS, investors=INVESTORS, keep=KEEP)
    await publish(stage.database, built.version)
