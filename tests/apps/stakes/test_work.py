"""What the lane of stakes looks at now and then."""

import pytest

from handfast.apps.stakes import metrics
from handfast.apps.stakes.work import CHECK
from handfast.base.telemetry import REGISTRY
from handfast.db.pool import Database
from tests.apps.stakes.test_matchmaker import matchmaking
from tests.support.eventually import eventually_async
from tests.support.stakes_table import StakesTable

# The first six came long ago and waited for ten seconds; of the others every second one for twenty.
WAITED = """
UPDATE handfast_stakes.matchmaking_queue AS q
SET queued_at = now() - w.ago, matched_at = now() - w.ago + w.waited * interval '1 second'
FROM (SELECT id, CASE WHEN n <= 6 THEN interval '90 minutes' ELSE interval '30 minutes' END AS ago,
             CASE WHEN n <= 6 THEN 10 ELSE n % 2 * 20 END AS waited
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS n
            FROM handfast_stakes.matchmaking_queue) AS numbered) AS w
WHERE w.id = q.id"""

# With its lane: one of a kind that nobody has declared yet would go to the default one.
ENQUEUE = """
SELECT id FROM handfast_engine.enqueue($1, 'now', '{}', NULL, '{"lane": "stakes"}')"""


async def test_how_good_the_estimates_were(database: Database, dsn: str) -> None:
    """An hour ago ten seconds would have been said; of those who came since half waited longer."""
    table = StakesTable(database, amounts=(1000, 5000))
    names = [f"p{n}" for n in range(12)]
    await table.rich(*names)
    await table.stake_all(names)
    assert (await table.pair()).pairs == 6
    await table.ledger.run(WAITED)
    for quantile in ("0.5", "0.9"):
        metrics.CALIBRATION.labels(quantile).set(-1)

    async def measured() -> bool:
        found = [
            REGISTRY.get_sample_value("handfast_stakes_wait_coverage", {"quantile": quantile})
            for quantile in ("0.5", "0.9")
        ]
        return found == pytest.approx([0.5, 0.5])

    async with matchmaking(database, dsn, table):
        await table.ledger.run(ENQUEUE, CHECK)
        await eventually_async(measured)
