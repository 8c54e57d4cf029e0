"""What the guardian refuses, and what a refusal does and does not do."""

from dataclasses import replace
from typing import Any

import pytest

from handfast.apps.runs.corpus.rebuild import rebuild
from handfast.apps.runs.corpus.versions import guardian
from handfast.apps.runs.corpus.versions.guardian import Last, judge
from handfast.apps.runs.corpus.versions.publish import check, publish
from handfast.apps.runs.corpus.versions.statistics import CorpusStatistics
from handfast.apps.runs.corpus.versions.versions import current_version, get_version, switch
from handfast.apps.runs.errors import CorpusRefused
from handfast.db.pool import Database
from handfast.engine.operating.alerts import evaluate, list_alerts
from tests.support.corpus_files import generated, pairs

GOOD = CorpusStatistics(
    startups=100,
    investors=50,
    matches=1000,
    scores=dict.fromkeys(range(300, 900, 6), 10),
)
LAST = Last(version=1, figures=GOOD, overlap=1.0)


def refused(new: CorpusStatistics, last: Last | None = LAST) -> set[str]:
    verdict = judge(2, new, last)
    assert verdict.passed is not bool(verdict.failed)
    return {check.name for check in verdict.failed}


def test_an_ordinary_night_passes() -> None:
    assert refused(GOOD) == set()
    assert refused(GOOD, None) == set()
    assert refused(replace(GOOD, startups=95, investors=60, uncovered=4)) == set()


def test_other_weights_are_no_drift() -> None:
    """Whoever sets weights wants other scores; whether rows got lost is judged all the same."""
    moved = replace(GOOD, scores={s + 150: n for s, n in GOOD.scores.items()})
    assert refused(moved, replace(LAST, overlap=0.1)) == {"score_drift", "top_overlap"}
    assert refused(replace(moved, weights="{}"), replace(LAST, overlap=0.1)) == set()
    assert refused(replace(moved, startups=50, weights="{}")) == {"startups_count"}


def scaled(share: float) -> CorpusStatistics:
    return replace(
        GOOD,
        matches=round(1000 * share),
        scores={score: max(1, round(n * share)) for score, n in GOOD.scores.items()},
    )


@pytest.mark.parametrize(
    ("new", "names"),
    [
        (scaled(0.5), {"matches_count"}),
        (scaled(0.79), {"matches_count"}),
        (scaled(3.5), {"matches_count"}),
        (replace(GOOD, startups=50), {"startups_count"}),
        (replace(GOOD, investors=20), {"investors_count"}),
        (replace(GOOD, scores={600: 1000}), {"score_spread", "score_commonest"}),
        (replace(GOOD, scores={600: 500, 610: 500}), {"score_spread"}),
        (replace(GOOD, scores={600: 510, 300: 245, 900: 245}), {"score_commonest"}),
        (replace(GOOD, uncovered=6), {"coverage"}),
        (replace(GOOD, scores={s + 101: n for s, n in GOOD.scores.items()}), {"score_drift"}),
        (
            replace(GOOD, matches=0, scores={}, uncovered=100),
            {"matches_there", "matches_count", "coverage"},
        ),
    ],
)
def test_what_is_refused(new: CorpusStatistics, names: set[str]) -> None:
    assert refused(new) == names


def test_another_top_ten_is_refused() -> None:
    assert refused(GOOD, replace(LAST, overlap=0.29)) == {"top_overlap"}
    assert refused(GOOD, replace(LAST, overlap=0.3)) == set()
    assert refused(GOOD, replace(LAST, overlap=None)) == set()


def test_the_first_version_has_nothing_to_be_compared_with() -> None:
    assert refused(replace(GOOD, matches=0, scores={}), None) == {"matches_there"}
    unjudged = {c.name for c in judge(1, GOOD, None).checks if c.passed is None}
    assert unjudged == {
        "startups_count", "investors_count", "matches_count", "score_drift", "top_overlap",
    }  # fmt: skip


@pytest.mark.parametrize("name", [n for n in vars(guardian) if n.isupper()])
def test_every_bound_has_a_reason(name: str) -> None:
    assert guardian.__file__ is not None
    with open(guardian.__file__, encoding="utf-8") as file:  # noqa: PTH123
        [line] = [line for line in file if line.startswith(f"{name} = ")]
    assert "  # " in line


# --- on a database ----------------------------------------------------------------------------


async def spoil(database: Database, version: int, sql: str) -> None:
    """Make a version that is not read yet a bad one; nobody can do that to one that is."""
    async with database.connection() as connection:
        await connection.execute(
            sql.format(table=f"handfast_runs.startup_investor_matches_v{version}")
        )


HALF = (
    "DELETE FROM {table} WHERE investor_id < (SELECT percentile_disc(0.5)"
    " WITHIN GROUP (ORDER BY investor_id) FROM {table})"
)
EQUAL = "UPDATE {table} SET score = 500"
NONE = "DELETE FROM {table}"


async def told(database: Database) -> list[tuple[str, str]]:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT type, aggregate FROM handfast_engine.events WHERE type LIKE 'corpus.%'"
            " OR type LIKE 'alert.%' ORDER BY at, id"
        )
    return [tuple(row) for row in rows]


@pytest.mark.parametrize(
    ("how", "names"),
    [
        (HALF, {"matches_count"}),
        (EQUAL, {"score_spread", "score_commonest"}),
        (NONE, {"matches_there", "matches_count", "coverage"}),
    ],
    ids=["half the rows", "all scores equal", "no rows"],
)
async def test_a_bad_rebuild_is_kept_aside(database: Database, how: str, names: set[str]) -> None:
    first = await generated(database)
    before = await pairs(database, first)
    built = await rebuild(database.target, keep=10)
    await spoil(database, built.version, how)
    done = await publish(database, built.version)
    assert done.switched is None
    assert names <= {check.name for check in done.verdict.failed}
    async with database.connection() as connection:
        assert await current_version(connection) == first
        kept = await get_version(connection, built.version)
        alerts = {alert.name for alert in await list_alerts(connection) if alert.raised}
    assert kept.state == "refused"
    assert kept.verdict is not None
    assert '"passed": false' in kept.verdict
    assert alerts == {"corpus_refused"}
    assert await pairs(database, first) == before
    assert (await told(database))[1:] == [
        ("corpus.refused", "corpus"),
        ("alert.raised", "alert:corpus_refused"),
    ]
    # The engine's own judge does not know this alert and leaves it alone.
    await evaluate(database)
    async with database.connection() as connection:
        assert [a.raised for a in await list_alerts(connection)] == [True]
    # Refused is refused, unless somebody says so with open eyes.
    with pytest.raises(CorpusRefused):
        async with database.transaction() as tx:
            await switch(tx, built.version)
    forced = await publish(database, built.version, force=True)
    assert forced.forced
    assert [said for said, _ in await told(database)].count("corpus.refused") == 1
    async with database.connection() as connection:
        assert await current_version(connection) == built.version
        assert not [a for a in await list_alerts(connection) if a.raised], "a switch clears it"
    assert (await told(database))[-1] == ("alert.cleared", "alert:corpus_refused")


async def test_looking_changes_nothing(database: Database) -> None:
    first = await generated(database)
    built = await rebuild(database.target, keep=10)
    await spoil(database, built.version, NONE)
    seen: list[Any] = [await get(database, built.version)]
    assert not (await check(database, built.version)).passed
    assert await get(database, built.version) == seen[0]
    assert (await check(database, first)).against is None, "it is not compared with itself"


async def get(database: Database, version: int) -> Any:
    async with database.connection() as connection:
        return await get_version(connection, version)
