"""PostgreSQL knows instants that Python does not; a job that is due then is a job like others."""

import pytest

from handfast import Context
from handfast.engine.floors import Floors
from handfast.engine.lease import Claimed
from tests.support.working import Shop

pytestmark = pytest.mark.on_every_postgres

BEFORE = ["-infinity", "4000-01-01 BC", "0001-01-01 00:00:00+00"]


@pytest.mark.parametrize("due", BEFORE)
async def test_it_runs_and_the_worker_goes_on(shop: Shop, due: str) -> None:
    years: list[int] = []

    @shop.hf.job("t.old")
    async def old(ctx: Context) -> None:
        years.append(ctx.due_at.year)

    await shop.declare()
    for n in range(3):  # as a plain SQL client does
        await shop.fetch(
            "SELECT count(*) FROM engine.enqueue('t.old', $1, p_due_at => $2::text::timestamptz)",
            str(n),
            due,
        )
    async with shop.working(concurrency=1, batch_max=1):
        await shop.drained(within=8)
    assert years == [1, 1, 1]


@pytest.mark.parametrize("due", [float("-inf"), -1e12, -62_135_596_800.0])
def test_a_slow_front_begins_below_it(due: float) -> None:
    floors = Floors(["default"])
    job = Claimed(1, 1, 1, "t.old", "1", "{}", 1, due, False, "default", 10)
    floors.note([job], wanted=1, from_front=True, started=0.0, ended=1.0)
    assert floors.hint(1.5) == '[[10,"0001-01-01T00:00:00+00:00"]]'
