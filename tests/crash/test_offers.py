"""One set for each user, complete, and what an undisturbed run makes: while workers are killed, two
processes look at the clock, people change their zones, and somebody makes sets by hand."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from handfast.apps.offers.daily.ids import offer_id
from handfast.apps.offers.daily.planning import round_of
from handfast.apps.offers.explaining.generating import generate, lacking
from handfast.apps.offers.rounds.picks import PickKind
from handfast.db.pool import Database
from handfast.engine.operating.audit import Actor
from tests.support.eventually import eventually_async
from tests.support.forked_offers import RULES
from tests.support.offers import OffersDesk

BY_HAND = Actor("cli:test")
ROOT = Path(__file__).parents[2]
ZONES = ("Europe/Berlin", "Europe/Madrid", "Europe/Paris", "Europe/Rome")
KILL_AT = (0.0, 0.3, 0.7)  # of all sets; the first in the middle of the round
PATIENCE_SECONDS = 240.0


class OffersHerd:
    """The processes, by their ids."""

    def __init__(self, nursery: "subprocess.Popen[str]") -> None:
        self._nursery = nursery
        self.living: list[int] = []

    def grow(self) -> None:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._nursery.stdin.write("\n")
        self._nursery.stdin.flush()
        self.living.append(int(self._nursery.stdout.readline()))

    def kill(self) -> None:
        os.kill(self.living.pop(0), signal.SIGKILL)


@pytest.fixture
def herd(dsn: str) -> Iterator[OffersHerd]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.forked_offers", dsn],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as nursery:
        herd = OffersHerd(nursery)
        yield herd
        while herd.living:
            herd.kill()
        nursery.kill()


@pytest.mark.long
async def test_exactly_one_set_for_each_and_what_an_undisturbed_run_makes(
    database: Database, herd: OffersHerd, chance: random.Random, request: pytest.FixtureRequest
) -> None:
    desk = OffersDesk(database, RULES)
    await desk.move_in(request.config.getoption("--offers-users"))
    users = [row[0] for row in await desk.fetch("SELECT id FROM handfast_people.pool ORDER BY id")]
    now = datetime.now(UTC)
    day = now.date()
    for zone in ZONES:  # all of them due, whatever the time is; and nothing more for days
        for later in (timedelta(0), timedelta(days=7)):
            await desk.value(
                "INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at)"
                " VALUES ($1, $2, $3::timestamptz, $3 + interval '1 day', $3 + interval '6 days')",
                *(zone, day + later, now + later),
            )
    await move(desk, chance, users)

    async def made() -> int:
        sql = "SELECT count(*) FROM handfast_offers.sets WHERE day = $1"
        found: int = await desk.value(sql, day)
        return found

    for _ in range(2):
        herd.grow()
    for part in KILL_AT:
        least = part * len(users)
        await eventually_async(partial(reached, made, least), within=PATIENCE_SECONDS)
        herd.kill()
        herd.grow()
        await move(desk, chance, chance.sample(users, len(users) // 10))
    _, by_zone = await lacking(database, day, None, None)
    some = {zone: ids[:50] for zone, ids in by_zone.items()}
    await generate(database, RULES, day, some, lambda *_: None, actor=BY_HAND)
    await eventually_async(lambda: drained(desk), within=PATIENCE_SECONDS)
    # Who moved from a zone whose jobs were not there yet into one that had them is a gap, which is
    # what by hand makes, too.
    _, by_zone = await lacking(database, day, None, None)
    await generate(database, RULES, day, by_zone, lambda *_: None, actor=BY_HAND)

    sets = await desk.fetch("SELECT user_id, status FROM handfast_offers.sets WHERE day = $1", day)
    assert sorted(row[0] for row in sets) == users, "one for each, and all"
    assert {row[1] for row in sets} == {"completed"}
    async with database.connection() as connection:
        undisturbed = (await round_of(connection, day)).explained().stored()
    assert await offered(desk) == sorted(
        (offer_id(day, one.user_id, one.candidate_id), one.user_id, one.place, one.score)
        for one in undisturbed
        if one.kind != PickKind.RESERVE
    )
    events = "SELECT count(*), count(DISTINCT aggregate) FROM handfast_engine.emitted_events"
    told = (len(users) + 1, len(users) + 1)
    assert tuple((await desk.fetch(events))[0]) == told, "one event for each, and one for the round"


async def move(desk: OffersDesk, chance: random.Random, users: list[Any]) -> None:
    zones = [chance.choice(ZONES) for _ in users]
    await desk.value(
        "UPDATE handfast_people.users AS u SET timezone = n.zone"
        " FROM unnest($1::uuid[], $2::text[]) AS n (id, zone) WHERE u.id = n.id",
        *(users, zones),
    )


async def reached(made: Any, least: float) -> bool:
    return bool(await made() >= least)


async def drained(desk: OffersDesk) -> bool:
    await asyncio.sleep(0.1)
    return not await desk.value("SELECT count(*) FROM handfast_engine.live WHERE lane = 'offers'")


async def offered(desk: OffersDesk) -> list[tuple[Any, ...]]:
    rows = await desk.fetch("SELECT id, user_id, place, score FROM handfast_offers.match_offers")
    return sorted(tuple(row) for row in rows)
