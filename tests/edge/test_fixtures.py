"""Fixtures over HTTP and on the command line, on a real database."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import msgspec
import pytest

from handfast.apps.fixtures.ingest.ingest import ingest
from handfast.db.pool import Database
from tests.apps.fixtures.steps.test_lineup_providers import GOOD
from tests.edge.test_engine_cli import handfast
from tests.edge.test_match_runs import TOKEN, app_of
from tests.support.clock import freeze
from tests.support.eventually import eventually
from tests.support.up import Up

NOW = datetime(2026, 8, 1, 12, tzinfo=UTC)
MATCH: dict[str, Any] = {
    "externalId": "m1",
    "competition": "en.1",
    "season": "2026-27",
    "home": "Arsenal",
    "away": "Chelsea",
    "date": "2026-08-15",
    "time": "15:00",
}


@pytest.fixture
async def client(database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    await freeze(database, NOW)
    transport = httpx2.ASGITransport(app_of(database, dsn), raise_app_exceptions=False)
    async with httpx2.AsyncClient(
        transport=transport,
        base_url="http://handfast",
        headers={"Authorization": f"Bearer {TOKEN}"},
    ) as client:
        yield client


async def bring(client: httpx2.AsyncClient, *fixtures: dict[str, Any], **more: Any) -> Any:
    found = await client.post("/fixtures", json={"fixtures": fixtures, **more})
    assert found.status_code == 200, found.text
    return found.json()


async def test_they_are_for_operators(client: httpx2.AsyncClient) -> None:
    client.headers.pop("Authorization")
    for ask in (client.get("/fixtures"), client.get("/fixtures/1"), client.post("/fixtures")):
        assert (await ask).status_code == 401


async def test_brought_listed_and_shown(client: httpx2.AsyncClient) -> None:
    report = await bring(
        client, MATCH, competitions=[{"id": "en.1", "name": "Premier League"}], source="office"
    )
    assert (report["created"], report["planned"]["planned"], report["rejects"]) == (1, 3, [])
    again = await bring(client, MATCH)
    assert (again["unchanged"], again["changed"], again["planned"]["planned"]) == (1, 0, 0)

    [listed] = (await client.get("/fixtures")).json()["fixtures"]
    assert listed["fixture"]["kickoff"] == "2026-08-15T14:00:00Z"
    assert [(step["step"], step["state"], step["dueAt"]) for step in listed["steps"]] == [
        ("analysis", "scheduled", "2026-08-15T08:00:00Z"),
        ("lineups", "blocked", "2026-08-15T13:00:00Z"),
        ("predictions", "blocked", "2026-08-15T13:30:00Z"),
    ]
    found = (await client.get(f"/fixtures/{listed['fixture']['id']}")).json()
    assert found["fixture"] == listed["fixture"]
    assert found["fixture"]["competitionName"] == "Premier League"
    assert found["steps"] == listed["steps"]
    assert (found["pipeline"], found["zone"], found["source"]) == (
        "football",
        "Europe/London",
        "office",
    )
    assert found["results"] == {}
    assert {(one["step"], one["decision"]) for one in found["decisions"]} >= {
        ("analysis", "planned"),
        ("lineups", "planned"),
        ("predictions", "planned"),
    }
    assert (await client.get("/fixtures/999999")).status_code == 404


async def test_what_a_step_made_is_shown_with_its_marks(
    client: httpx2.AsyncClient, database: Database
) -> None:
    await bring(client, MATCH)
    async with database.connection() as connection:
        await connection.execute(
            "SELECT handfast_fixtures.put_output(f.id, 'analysis', f.kickoff, $1, 'm1')"
            " FROM handfast_fixtures.fixtures AS f",
            '{"summary": ["x"]}',
        )
        fixture = await connection.fetchval("SELECT id FROM handfast_fixtures.fixtures")
    found = (await client.get(f"/fixtures/{fixture}")).json()
    assert found["results"] == {"analysis": {"summary": ["x"]}}
    assert (found["steps"][0]["current"], found["steps"][0]["model"]) == (True, "m1")
    await bring(client, {**MATCH, "time": "17:00"})
    moved = (await client.get(f"/fixtures/{fixture}")).json()
    assert moved["steps"][0]["current"] is False, "it was made for another kickoff"


async def test_a_step_that_was_skipped_says_so_and_why(
    client: httpx2.AsyncClient, database: Database, dsn: str
) -> None:
    """With a job that was withdrawn, and without one: the match was over before it came."""
    await bring(client, MATCH)
    await bring(client, MATCH | {"status": "finished", "homeGoals": 1, "awayGoals": 0})
    over = {**MATCH, "externalId": "m2", "away": "Leeds", "date": "2026-07-31"}
    await bring(client, over)
    listed = (await client.get("/fixtures")).json()["fixtures"]
    states = {
        one["fixture"]["externalId"]: [(step["state"], step["reason"]) for step in one["steps"]]
        for one in listed
    }
    late = "it is over: 03:00:00 after kickoff the step is of no more use"
    assert states == {
        "m1": [("skipped", "the fixture is finished")] * 3,
        "m2": [("skipped", late)] * 3,
    }
    assert {step["jobId"] for one in listed[:1] for step in one["steps"]} == {None}
    [whole] = [one for one in listed if one["fixture"]["externalId"] == "m2"]
    shown = (await client.get(f"/fixtures/{whole['fixture']['id']}")).json()
    assert shown["steps"] == whole["steps"]
    told = await handfast(dsn, "fixtures", "list", "--all")
    assert told.stdout.count("skipped") == 6
    # Moved to a day that is to come, it is planned after all.
    await bring(client, over | {"date": "2026-08-20"})
    again = (await client.get(f"/fixtures/{whole['fixture']['id']}")).json()
    assert [step["state"] for step in again["steps"]] == ["scheduled", "blocked", "blocked"]


async def test_bad_ones_are_listed_and_the_others_are_stored(client: httpx2.AsyncClient) -> None:
    report = await bring(
        client,
        {**MATCH, "date": "2026-02-30"},
        {**MATCH, "externalId": "m2", "kickoff": "2026-08-15T14:00:00Z"},
        {**MATCH, "externalId": "m3", "away": "Arsenal"},
        {**MATCH, "externalId": "m4", "competition": "nowhere"},
        {**MATCH, "externalId": "m5"},
        competitions=[{"id": "UPPER"}, {"id": "xx.1", "zone": "Mars/Olympus"}],
    )
    assert report["created"] == 1
    reasons = {one["place"]: one["reason"] for one in report["rejects"]}
    assert list(reasons) == [
        *("competitions[0]", "competitions[1]"),
        *("fixtures[0]", "fixtures[1]", "fixtures[2]", "fixtures[3]"),
    ]
    assert "not in the calendar" in reasons["fixtures[0]"]
    assert "which?" in reasons["fixtures[1]"]
    assert "against itself" in reasons["fixtures[2]"]
    assert "nobody says in which zone" in reasons["fixtures[3]"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"fixtures": {}},
        {"fixtures": [{**MATCH, "homeGoals": [2]}]},
        {"fixtures": [{**MATCH, "surprise": 1}]},
        {"fixtures": [{"home": "A"}]},
        {"fixtures": [], "source": ""},
    ],
)
async def test_a_body_of_another_form_is_refused_whole(
    client: httpx2.AsyncClient, body: dict[str, Any]
) -> None:
    assert (await client.post("/fixtures", json=body)).status_code == 400


async def test_a_key_makes_it_once(client: httpx2.AsyncClient) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    first = await client.post("/fixtures", json={"fixtures": [MATCH]}, headers=headers)
    again = await client.post("/fixtures", json={"fixtures": [MATCH]}, headers=headers)
    assert again.json() == first.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    other = await client.post("/fixtures", json={"fixtures": []}, headers=headers)
    assert other.status_code == 409


async def test_pages_and_filters(client: httpx2.AsyncClient) -> None:
    fixtures = [
        {
            **MATCH,
            "externalId": f"m{n}",
            "away": f"Team {n % 5}",
            "competition": "en.1" if n % 2 else "en.2",
            "date": str((NOW + timedelta(days=n)).date()),
            "time": None if n % 6 == 0 else "15:00",  # so many kick off together, and some never
            "status": "postponed" if n % 7 == 0 else None,
        }
        for n in range(1, 31)
    ] + [{**MATCH, "externalId": f"same{n}", "away": f"Other {n}"} for n in range(9)]
    report = await bring(client, *fixtures)
    assert (report["created"], report["untimed"]) == (39, 5)
    seen: list[str] = []
    after = None
    while True:
        page = await client.get(
            "/fixtures", params={"limit": 4} | ({"after": after} if after else {})
        )
        assert page.status_code == 200, page.text
        seen += [one["fixture"]["externalId"] for one in page.json()["fixtures"]]
        after = page.json()["next"]
        if after is None:
            break
    assert len(seen) == len(set(seen)) == 39
    assert set(seen[-5:]) == {f"m{n}" for n in (6, 12, 18, 24, 30)}

    async def count(**params: Any) -> int:
        found = await client.get("/fixtures", params=params)
        assert found.status_code == 200, found.text
        return len(found.json()["fixtures"])

    assert await count(competition="en.2") == 15
    assert await count(team="Team 3") == 6
    assert await count(status="postponed") == 4
    assert await count(untimed=True) == 5
    assert await count(season="1999-00") == 0
    day = {"from": "2026-08-15T00:00:00Z", "to": "2026-08-16T00:00:00Z"}
    assert await count(**day) == 10
    assert await count(**{"from": "2026-08-15T14:00:00Z", "to": "2026-08-15T14:00:00Z"}) == 0
    assert (await client.get("/fixtures", params={"team": "Nobody"})).status_code == 404
    places = (
        "x",
        "2026-08-15T14:00:00Z~x",
        "~",
        "-~1",
        "untimed~-1",
        "2026-08-15~1",
        "0001-01-01T00:00+14:00~1",
    )
    for place in places:
        assert (await client.get("/fixtures", params={"after": place})).status_code == 422


@pytest.mark.parametrize("depth", [100, 300, 450, 600, 900, 2_000, 100_000])
async def test_a_body_that_is_nested_without_end_is_refused(
    client: httpx2.AsyncClient, depth: int
) -> None:
    found = await client.post(
        "/fixtures",
        content=b"[" * depth + b"]" * depth,
        headers={"Content-Type": "application/json"},
    )
    assert found.status_code in {400, 422}
    assert found.json()["code"] == "INVALID_REQUEST"


def test_up_makes_all_three_steps_of_a_match_that_is_near(tmp_path: Path) -> None:
    """A real process, a real kickoff, and a provider that brings the lineups late."""
    lineups = tmp_path / "lineups"
    lineups.mkdir()
    settings = {"HANDFAST_ADMIN_TOKEN": TOKEN, "HANDFAST_FIXTURES_LINEUPS": str(lineups)}
    kickoff = datetime.now(UTC) + timedelta(minutes=20)
    near = MATCH | {"date": None, "time": None, "kickoff": kickoff.isoformat()}
    with (
        Up(tmp_path / "data", **settings) as up,
        httpx2.Client(
            base_url=up.url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30
        ) as asking,
    ):
        brought = asking.post("/fixtures", json={"fixtures": [near]}).json()
        assert brought["planned"]["planned"] == 3
        [listed] = asking.get("/fixtures").json()["fixtures"]
        here = f"/fixtures/{listed['fixture']['id']}"

        def step(number: int) -> Any:
            return asking.get(here).json()["steps"][number]

        eventually(lambda: step(0)["state"] == "succeeded")
        job = step(1)["jobId"]
        # Asked in vain, and waiting to ask again: what comes after it waits too.
        eventually(lambda: step(1)["state"] == "scheduled")
        assert step(2)["state"] == "blocked"
        (lineups / "m1.json").write_bytes(GOOD)
        asking.post(f"/admin/jobs/{job}/retry")
        eventually(lambda: step(2)["state"] == "succeeded")
        found = asking.get(here).json()
        attempts = asking.get(f"/admin/jobs/{job}").json()["attempts"]
        metrics = asking.get("/metrics").text
    assert [one["outcome"] for one in attempts] == ["failed", "succeeded"]
    assert "No such file" in attempts[0]["error"]
    assert len(found["results"]["lineups"]["home"]["starting"]) == 11
    assert sum(found["results"]["predictions"]["outcome"].values()) == pytest.approx(1, abs=1e-4)
    assert found["results"]["analysis"]["summary"]
    assert all(one["current"] and not one["late"] for one in found["steps"])
    assert 'handfast_fixtures_decisions_total{decision="planned"} 3.0' in metrics


# --- the command line -------------------------------------------------------------------------


async def answer(dsn: str, *words: str, code: int = 0) -> Any:
    done = await handfast(dsn, *words, "--json")
    assert done.returncode == code, done.stderr
    return msgspec.json.decode(done.stdout)


def season(folder: Path, **change: Any) -> Path:
    path = folder / "2100-01" / "en.1.json"
    path.parent.mkdir(exist_ok=True)
    matches = [
        {"round": "1", "date": "2100-08-14", "time": "15:00", "team1": "Arsenal", "team2": "Fulham"}
        | change,
        {"round": "1", "date": "2100-08-14", "team1": "Leeds", "team2": "Everton"},
        {"round": "1", "date": "2100-02-30", "team1": "Leeds", "team2": "[bold]Hull"},
    ]
    document = {"name": "Premier League 2100/01", "matches": matches}
    path.write_bytes(msgspec.json.encode(document))
    return path


async def test_on_the_command_line(dsn: str, tmp_path: Path) -> None:
    path, rejects = season(tmp_path), tmp_path / "rejects.csv"
    told = await handfast(dsn, "fixtures", "ingest", str(path), "--rejects", str(rejects))
    assert told.returncode == 1, told.stderr
    assert "3 read from 1 documents: 2 new, 0 changed, 0 as before, 1 rejected." in told.stdout
    assert "1 without a time, so not planned" in told.stdout
    assert "3 planned" in told.stdout
    assert "not in the calendar" in told.stderr
    assert "matches[2],date '2100-02-30' is not in the calendar" in rejects.read_text()
    assert "[bold]Hull" in rejects.read_text()

    again = await answer(dsn, "fixtures", "ingest", str(path), code=1)
    assert (again["unchanged"], again["changed"], len(again["rejects"])) == (2, 0, 1)
    assert again["planned"]["planned"] == 0

    listed = await answer(dsn, "fixtures", "list")
    [only] = listed["fixtures"]
    assert only["fixture"]["home"] == "Arsenal"
    everything = await handfast(dsn, "fixtures", "list", "--all")
    assert "no time" in everything.stdout
    assert re.search(r"Arsenal – Fulham +08:00 +13:00 +13:30", everything.stdout)  # noqa: RUF001
    untimed = await answer(dsn, "fixtures", "list", "--untimed")
    assert [one["fixture"]["home"] for one in untimed["fixtures"]] == ["Leeds"]

    shown = await handfast(dsn, "fixtures", "show", "en.1:2100-01:Arsenal:Fulham")
    assert shown.returncode == 0, shown.stderr
    assert "2100-08-14 15:00 Europe/London" in shown.stdout
    assert "analysis planned" in shown.stdout
    assert (await handfast(dsn, "fixtures", "show", "nothing")).returncode != 0

    alias = await answer(dsn, "fixtures", "alias", "Arsenal", "Arsenal FC")
    assert [len(one["moved"]) for one in alias["aliases"]] == [1]
    renamed = await answer(dsn, "fixtures", "ingest", str(path), code=1)
    assert (renamed["created"], renamed["unchanged"]) == (0, 2)
    aliases = tmp_path / "aliases.csv"
    aliases.write_text("name,team,source\nLUFC,Leeds,\nEFC,Everton,football.json\n")
    assert len((await answer(dsn, "fixtures", "alias", "--file", str(aliases)))["aliases"]) == 2

    told = await handfast(dsn, "fixtures", "zone", "en.1", "Europe/Berlin")
    assert "en.1: Europe/London → Europe/Berlin. 1 kickoffs would move, 0 of them" in told.stdout
    assert "2100-08-14 14:00 → 2100-08-14 13:00 UTC  Arsenal FC – Fulham" in told.stdout  # noqa: RUF001
    assert "Nothing was changed." in told.stdout
    done = await answer(dsn, "fixtures", "zone", "en.1", "Europe/Berlin", "--apply")
    assert (len(done["moves"]), done["planned"]["moved"]) == (1, 1)

    assert (await answer(dsn, "fixtures", "plan"))["planned"] == 0
    off = await answer(dsn, "fixtures", "ingest", str(season(tmp_path, status="CANCELLED")), code=1)
    assert (off["cancelled"], off["planned"]["cancelled"]) == (1, 1)


async def test_a_place_that_is_printed_is_taken(
    dsn: str, database: Database, tmp_path: Path
) -> None:
    """Also among those that have no time: it does not look like an option."""
    csv = tmp_path / "en.1.csv"
    csv.write_text("date,home,away\n2100-08-14,A,B\n2100-08-14,C,D\n")
    await ingest(database, [str(csv)])
    words = ("fixtures", "list", "--untimed", "--limit", "1")
    first = await answer(dsn, *words)
    second = await answer(dsn, *words, "--after", first["next"])
    seen = [one["fixture"]["home"] for page in (first, second) for one in page["fixtures"]]
    assert (seen, second["next"]) == (["A", "C"], None)


async def test_back_on_the_command_line(dsn: str, tmp_path: Path) -> None:
    csv = tmp_path / "en.1.csv"
    lines = ["season,date,time,home,away,home_goals,away_goals"]
    for week in range(12):
        day = datetime(2024, 8, 3, tzinfo=UTC) + timedelta(weeks=week)
        home, away = ("A", "B") if week % 2 else ("B", "A")
        lines.append(f"{2000 + week}-{(week + 1) % 100:02},{day:%Y-%m-%d},15:00,{home},{away},2,1")
    csv.write_text("\n".join(lines))
    assert (await handfast(dsn, "fixtures", "ingest", str(csv))).returncode == 0
    nothing = await handfast(dsn, "fixtures", "score")
    assert "handfast fixtures backfill" in nothing.stdout
    backfill = ("fixtures", "backfill", "--from", "2024-08-20", "--to", "2024-12-01")
    made = await answer(dsn, *backfill)
    assert made["made"]["predictions"] == made["made"]["analysis"] == made["fixtures"] == 9
    again = await handfast(
        dsn, "fixtures", "backfill", "--from", "2024-08-20", "--to", "2024-12-01"
    )
    assert "0 fixtures lacked something. Made: nothing." in again.stdout
    scores = await answer(dsn, "fixtures", "score", "--competition", "en.1")
    assert scores["made"] == {"retroactive": 9}
    told = await handfast(dsn, "fixtures", "score")
    assert "retroactive" in told.stdout
    assert "called likely" in told.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ingest"], "No source is named"),
        (["ingest", "no/such/file.json"], "cannot be read: No such file"),
        (["ingest", "x.json", "--zone", "Mars/Olympus"], "no time zone"),
        (["alias", "only-one"], "names no alias"),
        (["alias", "--file", "no.csv"], "cannot be read"),
        (["plan", "--hours", "0"], "--hours is 0"),
        (["list", "--team", "Nobody"], "No team is called"),
    ],
)
async def test_what_cannot_be_done_says_what_to_do(dsn: str, words: list[str], said: str) -> None:
    told = await handfast(dsn, "fixtures", *words)
    assert told.returncode != 0
    assert said in told.stderr
    assert "Traceback" not in told.stderr
