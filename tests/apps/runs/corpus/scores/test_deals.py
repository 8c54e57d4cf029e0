"""How many companies an investor has backed: from files and tables into scores and their order."""

from pathlib import Path
from typing import Any

import msgspec

from handfast.apps.runs.corpus.generated import generate_version
from handfast.apps.runs.corpus.intake.load import LoadOptions, load_files, load_tables
from handfast.apps.runs.corpus.intake.rejects import MaxBad
from handfast.apps.runs.corpus.rebuild import rebuild
from handfast.apps.runs.corpus.scores.profiles import Investor, InvestorRow, Startup, StartupRow
from handfast.apps.runs.corpus.scores.ranking import Ranking
from handfast.apps.runs.corpus.scores.rescore import pairs_of
from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, weights_of
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import publish
from handfast.apps.runs.matches import get_matches
from handfast.db.pool import Database
from tests.support.corpus_files import STARTUPS, rejected, write
from tests.support.runs_harness import RunsHarness

# Of the same score, so that only deals and ids tell them apart.
FUNDS = [
    {"investor_id": who, "name": who, "deals": deals}
    for who, deals in (("a", ""), ("b", "3"), ("c", "40"), ("d", "3"), ("e", "0"))
]
ORDER = ["c", "b", "d", "e", "a"]
PAIRS = [{"startup_id": "s1", "investor_id": fund["investor_id"], "score": "500"} for fund in FUNDS]


async def rows(database: Database, sql: str, *args: Any) -> list[Any]:
    async with database.connection() as connection:
        found = await connection.fetch(sql, *args)
    return [row[0] if len(row) == 1 else tuple(row) for row in found]


async def top(database: Database, version: int, startup: str = "s1", many: int = 2) -> list[str]:
    """All investors of a startup, page by page."""
    seen: list[str] = []
    after: tuple[Any, Any] = (None, None)
    while True:
        page = await rows(
            database,
            "SELECT investor_id, score FROM handfast_runs.get_top_matches($1, $2, $3, $4, $5)",
            *(startup, many, version, *after),
        )
        seen += [who for who, _ in page]
        if len(page) < many:
            return seen
        after = (page[-1][1], page[-1][0])


async def test_pairs_of_equal_score_are_in_the_order_of_deals(
    database: Database, tmp_path: Path
) -> None:
    files = {
        CorpusPart.STARTUPS: write(tmp_path / "startups.csv", STARTUPS),
        CorpusPart.INVESTORS: write(tmp_path / "investors.csv", FUNDS),
        CorpusPart.MATCHES: write(tmp_path / "matches.csv", PAIRS),
    }
    first = await load_files(database.target, files)
    assert await top(database, first.version) == ORDER
    await publish(database, first.version, force=True)
    # Others have been active since: pairs that are carried over are put into the new order.
    changed = [fund | {"deals": "9" if fund["investor_id"] == "a" else ""} for fund in FUNDS]
    newer = {CorpusPart.INVESTORS: write(tmp_path / "investors.csv", changed)}
    second = await load_files(database.target, newer)
    assert await top(database, second.version) == ["a", "b", "c", "d", "e"]
    assert await top(database, first.version) == ORDER, "what is whole stays as it is"


async def test_what_is_no_number_of_deals_is_set_aside(database: Database, tmp_path: Path) -> None:
    wrong = [
        FUNDS[0] | {"investor_id": f"w{n}", "deals": deals}
        for n, deals in enumerate(("-1", "1.5", "many", str(10**9 + 1)))
    ]
    files = {
        CorpusPart.STARTUPS: write(tmp_path / "startups.csv", STARTUPS),
        CorpusPart.INVESTORS: write(tmp_path / "investors.csv", FUNDS + wrong),
    }
    options = LoadOptions(score=True, max_bad=MaxBad(share=0.9))
    loaded = await load_files(database.target, files, options)
    assert [(t.part, t.bad) for t in loaded.taken] == [("startups", 0), ("investors", 4)]
    reasons = [row[1] for row in rejected(tmp_path / "investors.csv.rejects.csv")]
    assert all("deals" in reason for reason in reasons), reasons


async def test_tables_of_the_user_may_have_it(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "CREATE SCHEMA crm;"
            "CREATE TABLE crm.funds (id text, title text, portfolio bigint);"
            "INSERT INTO crm.funds VALUES ('x', 'X', 1), ('y', 'Y', 30), ('z', 'Z', NULL);"
            "CREATE VIEW crm.investors AS"
            " SELECT id AS investor_id, title AS name, portfolio AS deals FROM crm.funds;"
            "CREATE VIEW crm.startup_uploads AS"
            " SELECT 's1' AS startup_id, 'S' AS name, 'https://s.com' AS url"
        )
    loaded = await load_tables(database.target, "crm", LoadOptions(score=True))
    assert await top(database, loaded.version) == ["y", "z", "x"]
    found = "SELECT investor_id, deals FROM handfast_runs.investors WHERE version = $1 ORDER BY 1"
    assert await rows(database, found, loaded.version) == [("x", 1), ("y", 30), ("z", None)]


async def test_sql_and_python_agree_on_the_order(database: Database) -> None:
    """Few signals count, so that many scores are equal."""
    weights = weights_of("sector=1,stage=1,geography=0,cheque=0,thesis=0,activity=0")
    built = await generate_version(
        database.target, startups=8, investors=60, keep=60, weights=weights
    )
    investors = await rows(database, "SELECT i FROM handfast_runs.investors AS i")
    startups = await rows(database, "SELECT s FROM handfast_runs.startup_uploads AS s")
    ranking = Ranking(
        [Investor.of(msgspec.convert(dict(i), InvestorRow)) for i in investors],
        keep=60,
        weights=weights,
    )
    expected: dict[str, list[str]] = {}
    for pair in pairs_of(
        ranking, [Startup.of(msgspec.convert(dict(s), StartupRow)) for s in startups], built.version
    ):
        expected.setdefault(pair[-2], []).append(pair[-1])
    assert len(expected) == 8
    for startup, order in expected.items():
        assert await top(database, built.version, startup, 7) == order
        assert order != sorted(order)


async def test_weights_are_kept_with_the_version(database: Database, tmp_path: Path) -> None:
    """A run is explained with those that made its scores, whatever is set by now."""
    mine = weights_of("sector=70,activity=5")
    first = await generate_version(database.target, startups=20, investors=30, weights=mine)
    await publish(database, first.version)
    desk = RunsHarness(database)
    url = await desk.fetch("SELECT canonical_url FROM handfast_runs.startup_uploads LIMIT 1")
    started = await desk.start(url)
    async with desk.working():
        run = await desk.ended(started.run_id)
    again = await rebuild(database.target)
    judged = (await publish(database, again.version)).verdict
    drift = {check.name: check.passed for check in judged.checks}
    assert (drift["score_drift"], drift["top_overlap"]) == (None, None), "not to be compared"
    kept = write(tmp_path / "investors.csv", FUNDS)
    carried = await load_files(database.target, {CorpusPart.INVESTORS: kept})

    found = await rows(
        database, "SELECT weights FROM handfast_runs.corpus_versions ORDER BY version"
    )
    assert [msgspec.json.decode(w) for w in found] == [mine, DEFAULT_WEIGHTS, DEFAULT_WEIGHTS]
    assert carried.version == 3
    async with database.connection() as connection:
        page = await get_matches(connection, run)
    for match in page.matches:
        assert [signal.weight for signal in match.why] == list(mine.values())
        agrees = [50 if signal.agrees is None else signal.agrees for signal in match.why]
        counted = sum(w * a for w, a in zip(mine.values(), agrees, strict=True))
        assert match.score == counted * 10 // sum(mine.values())
