"""``handfast offers``, on what a day has left."""

import json
import subprocess

import pytest

from tests.support.command import run_handfast
from tests.support.offers import DAY, DUE_AT, PLANNED_AT, OffersDesk


@pytest.fixture
def told(dsn: str) -> "Told":
    return Told(dsn)


class Told:
    def __init__(self, dsn: str) -> None:
        self._env = {"DATABASE_URL": dsn, "HANDFAST_OFFERS_ANCHOR_DAY": "7"}

    def say(self, *words: str, code: int = 0) -> str:
        done: subprocess.CompletedProcess[str] = run_handfast("offers", *words, env=self._env)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr


@pytest.mark.long
async def test_by_hand_then_looked_at(desk: OffersDesk, told: Told) -> None:
    people = await desk.fit_for_each_other(4)
    await desk.at(PLANNED_AT)
    await desk.look()
    await desk.at(DUE_AT)
    day = ("--date", str(DAY))
    assert "No sets of 2026-03-02 are due" in told.say(
        "generate", *day, "--zone", "Asia/Tokyo", code=1
    )
    dry = told.say("generate", *day, "--dry-run")
    assert "4 sets of 2026-03-02 that lacked would be made, in 1 zone." in dry
    assert await desk.sets() == []
    one = str(people[0])
    assert "1 sets" in told.say("generate", *day, "--users", one)
    made = json.loads(told.say("generate", *day, "--zone", "Europe/Berlin", "--json"))
    assert made["users"] == 3
    assert [row[1] for row in await desk.sets()] == people

    assert "The same, byte for byte." in told.say("replay")
    assert "3 compared" in told.say("replay", *day, "--user", one)
    pair = ("explain", "--user", one, "--candidate", str(people[1]))
    assert "Taken: mutual, at place 1." in told.say(*pair)
    compared = told.say("compare", *day)
    assert "mutual (chosen)" in compared
    assert "never shown" in compared
    assert json.loads(told.say("stats", "--days", "7", "--json"))["offers"] == {"offered": 12}
    assert "There is no plan of 2026-02-19." in told.say("replay", "--date", "2026-02-19", code=1)
    await desk.value(
        "UPDATE handfast_offers.picked SET scores[1] = 1 WHERE user_id = $1", people[0]
    )
    changed = run_handfast("offers", "replay", env=told._env)
    assert changed.returncode == 1
    assert "This is not what was stored." in changed.stdout
