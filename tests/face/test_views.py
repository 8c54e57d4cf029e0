"""What the views of the capabilities show, as a program without any other right reads it."""

from datetime import timedelta

import pytest

from handfast.db.pool import Database
from tests.support.clock import freeze
from tests.support.corpus_rows import add_version
from tests.support.fixtures_harness import NOON, STEPS, FixturesHarness, row

pytestmark = pytest.mark.on_every_postgres


async def test_fixtures_their_steps_and_what_those_made(database: Database) -> None:
    await freeze(database, NOON)
    league = FixturesHarness(database)
    await league.declare()
    await league.ingest(row("derby", NOON + timedelta(hours=5)), row("someday", None))
    assert await league.work() == ["analysis-" + str(await league.id_of("derby"))]
    listed = await league.fetch(
        "SELECT external_id, competition_id, home, away, kickoff, status FROM handfast.fixtures"
        " ORDER BY external_id"
    )
    derby = ("derby", "en.1", "derby home", "derby away", NOON + timedelta(hours=5), "scheduled")
    assert [tuple(one) for one in listed] == [
        derby,
        ("someday", "en.1", "someday home", "someday away", None, "scheduled"),
    ]
    steps = await league.fetch(
        "SELECT s.step, s.state, s.due_at FROM handfast.fixture_steps AS s"
        " JOIN handfast.fixtures AS f ON f.id = s.fixture_id WHERE f.external_id = 'derby'"
        " ORDER BY s.due_at"
    )
    assert [step for step, _, _ in steps] == list(STEPS)
    assert [state for _, state, _ in steps] == ["succeeded", "scheduled", "blocked"]
    assert steps[0][2] == NOON - timedelta(hours=1)
    [output] = await league.fetch("SELECT step, current FROM handfast.fixture_outputs")
    assert tuple(output) == ("analysis", True)
    await league.ingest(row("derby", NOON + timedelta(hours=9)))
    assert await league.value("SELECT current FROM handfast.fixture_outputs") is False
    pipeline = "SELECT pipeline FROM handfast.competitions WHERE id = 'en.1'"
    assert await league.value(pipeline) == "football"


async def test_the_corpus_is_the_current_one(database: Database) -> None:
    await add_version(database, {"old": "https://old.com"}, {"old": [("oak", 1)]})
    version = await add_version(database, {"acme": "https://acme.com"}, {"acme": [("elm", 900)]})
    async with database.connection() as connection:
        shown = await connection.fetch(
            "SELECT s.startup_id, s.canonical_url, i.investor_id, i.name, m.score, m.version"
            " FROM handfast.startup_investor_matches AS m"
            " JOIN handfast.startup_uploads AS s USING (startup_id)"
            " JOIN handfast.investors AS i USING (investor_id)"
        )
    assert [tuple(one) for one in shown] == [
        ("acme", "https://acme.com", "elm", "Elm", 900, version)
    ]


async def test_with_the_path_set_the_sources_snippets_work(database: Database) -> None:
    await add_version(database, {"acme": "https://acme.com"}, {"acme": [("elm", 900)]})
    async with database.connection() as connection, connection.transaction():
        await connection.execute("SET LOCAL search_path = handfast")
        run = await connection.fetchval("SELECT run_id FROM start_match_run('acme.com')")
        assert await connection.fetchval(
            "SELECT count(*) FROM match_runs WHERE status = 'queued'::match_run_status"
            " AND step = 'resolve'::match_run_step"
        )
        held = await connection.fetchrow("SELECT * FROM claim_next_match_run('me')")
        assert held is not None
        assert held["run_id"] == run
        assert await connection.fetchval("SELECT count(*) FROM startup_investor_matches") == 1
        assert await connection.fetchval(
            "SELECT complete_match_run($1, 'me', $2, 'ready', count_matches('acme'))",
            run,
            held["token"],
        )
        assert await connection.fetchval("SELECT status::text FROM match_runs") == "ready"


async def test_what_people_do_is_there_under_the_sources_names(database: Database) -> None:
    async with database.connection() as connection, connection.transaction():
        await connection.execute("SET LOCAL search_path = handfast")
        for view in (
            "match_offers WHERE status = 'offered' AND accepted_at IS NULL",
            "matches WHERE status = 'active'",
            "messages WHERE sender_id = id AND client_message_id = 'c-1' AND read_at IS NULL",
            "user_preferences WHERE preference = 'notifications'",
            "users WHERE status = 'active' AND onboarding_status = 'complete'",
            "photos WHERE is_primary",
            "compatibility_responses WHERE version = 1",
            "verification_sessions WHERE status = 'verified'",
            "blocks WHERE user_id = blocked_id",
            "reports WHERE status = 'open' AND severity = 'critical'",
            "enforcement_actions WHERE decision = 'ban'",
            "appeals WHERE outcome IS NULL",
        ):
            assert await connection.fetchval(f"SELECT count(*) FROM {view}") == 0
