"""``handfast demo`` tells its story with real jobs, and telling it again makes nothing twice."""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import Any, cast
from urllib.request import Request, urlopen

import httpx2
import msgspec
import pytest

from handfast.base.settings import Settings
from handfast.db.migrations.files import BASELINE
from handfast.demo.stage import ShownFact, Stage
from handfast.demo.story import play
from handfast.edge.cli.processes import demo_story
from tests.edge.test_up import psql, servers_of
from tests.support.eventually import eventually
from tests.support.pages import at_home, fence, is_shown

# Without what comes by the clock: between two tellings, or right after a start. The digest is of
# midnight.
TOLD = """
kind NOT IN ('demo.digest', 'webhooks.deliver', 'fixtures.repair', 'runs.retention')
AND kind !~ '^(chat|engine|identity|ledger|offers|people|safety|stakes)[.]'"""
JOBS = f"SELECT count(*) FROM handfast_engine.jobs WHERE {TOLD}"
COUNTS = f"""
SELECT ({JOBS}), (SELECT count(*) FROM handfast_engine.attempts WHERE {TOLD}),
       (SELECT count(*) FROM public.demo_payments), (SELECT count(*) FROM handfast_engine.dead)"""

NIGHTS = r"3 schedulers, ([34]) missed nights, \1 jobs"  # in between, it may become midnight

WEEKEND = r"10 matches, 1[01] steps that were due are done, (19|20) wait for their time; .+"
BUSY = "SELECT count(*) FROM handfast_engine.live WHERE state IN ('ready', 'running')"
PEOPLE = "2 people, {}, each with a photo, 24 answers and a verification"
MORNING = "1,814 people in 36 zones, 1,814 sets, {}; two accepted each other: 1 match"
RUN = r"20 clicks in 5 spellings, 1 run, {}: 50 of 500 investors"


class Demo:
    """A running ``handfast demo`` without a terminal."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "handfast", "demo", "--port", "0"),
                *("--data-dir", str(folder), *arguments),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.startswith("{"):  # the log
                self._lines.put(line.rstrip("\n"))

    def until(self, word: str, *, within: float = 240) -> list[str]:
        told: list[str] = []
        while not told or word not in told[-1]:
            try:
                told.append(self._lines.get(timeout=within))
            except Empty:
                raise AssertionError(f"it said {told}, and nothing of {word!r}") from None
        return told

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self._reader.join(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def shell(command: str) -> str:
    """As a person would type it, without curl, which not every machine has."""
    words = shlex.split(command)
    body = words[words.index("-d") + 1].encode() if "-d" in words else None
    asked = Request(
        next(word for word in words if word.startswith("http")),
        data=body,
        headers=dict(
            word.split(": ", 1) for at, word in enumerate(words) if at and words[at - 1] == "-H"
        ),
    )
    with urlopen(asked, timeout=20) as answer:
        return str(answer.read().decode())


def facts(told: list[str]) -> dict[str, str]:
    assert not [line for line in told if line.startswith("✗")], told
    found = [re.fullmatch(r"✓ (.+?) {2,}(.+)", line) for line in told]
    return {match[1]: match[2] for match in found if match}


def is_in_the_readme(told: list[str]) -> None:
    """Every fact, and of what is said besides as much as there is room for."""
    left = fence("README.md", "✓ One identity").splitlines()
    for line in told:
        if left and is_shown(_whenever(line), _whenever(left[0])):
            left.pop(0)
        else:
            assert not line.startswith(("✓", "✗")), f"it says {line!r}, and the README {left[:1]}"
    assert left == []


def _whenever(line: str) -> str:
    """Some steps come due while the story is told."""
    return re.sub(r"1[01] (steps .* done), (?:19|20) wait", r"11 \1, 19 wait", line)


@pytest.mark.long
def test_the_story_is_true_and_may_be_told_again(tmp_path: Path) -> None:
    folder = tmp_path / ".local" / "share" / "handfast" / f"demo-{BASELINE}"
    demo = Demo(folder, "--still")
    try:
        begun = "\n".join(demo.until("Stop with Ctrl-C."))
        assert is_shown(at_home(begun, tmp_path), fence("README.md", "Handfast is ready")), begun
        told = demo.until("Told in", within=240)
        is_in_the_readme([at_home(line, tmp_path) for line in told])
        first = facts(told)
        run = first.pop("Twenty clicks are one run")
        assert re.fullmatch(RUN.format(r"ready after \d+ ms"), run)
        weekend = first.pop("No kickoff comes without its work")
        assert re.fullmatch(WEEKEND, weekend), weekend
        people = first.pop("From a phone number to a complete profile")
        assert people == PEOPLE.format("by codes sent to test numbers")
        offers = first.pop("One set for each, at 09:00 in their own zone")
        assert offers == MORNING.format("a morning in seconds: time is sped up here")
        assert first == {
            "One identity is one job": "20 callers, 1 job",
            "A chain keeps its order": "3 jobs, 2 of 2 started after the one before had finished",
            "A failure is tried again": "3 attempts: failed, failed, succeeded",
            "What no retry can fix waits for a person": "1 attempt, 1 dead letter, 1 alert",
            "A missed tick is caught up, once": "3 schedulers, 3 missed nights, 3 jobs",
            "What nobody enqueued is noticed and made up for": "3 of 5 enqueued, then 0 missing; "
            "5 reports",
            "An event reaches those who want it, signed": "1 event, 1 delivery, signature "
            "verified; with one byte changed: refused",
            "A killed worker loses and repeats nothing": "SIGKILL in the middle; attempts: lost, "
            "succeeded; rows: 1",
            "What is staked is paid out once": "35 players, 17 games, 1 ticket that found nobody "
            "is 5,000 of credit; wallet 310,000, credit 5,000, escrow 0, revenue 35,000, cash "
            "-350,000: together 0",
        }
        curls = [line.strip() for line in told if line.startswith("  curl ")]
        runs, (send, *_) = curls[:2], curls[2:]
        assert "expiresAt" in msgspec.json.decode(shell(send)), "a code for who tries it"
        started, read = (msgspec.json.decode(shell(curl)) for curl in runs)
        assert started["runId"] == read["runId"], "what it tells people to type works"
        assert read["status"] == "ready"
        assert len(read["matches"]) == 3
        assert any(str(folder) in line and "handfast dead list" in line for line in told), told
        assert demo.process.poll() is None, "it goes on serving"
        eventually(lambda: psql(folder, BUSY) == "0")
        counts = psql(folder, COUNTS)
    finally:
        assert demo.stop() == 0

    again = Demo(folder, "--still")
    try:
        retold = facts(again.until("Told in", within=240))
        assert retold.pop("One identity is one job") == (
            "20 callers, 1 job, which an earlier run had made"
        )
        assert retold.pop("What nobody enqueued is noticed and made up for") == (
            "3 of 5 enqueued, then 0 missing; 5 reports"
        )
        nights = retold.pop("A missed tick is caught up, once")
        assert re.fullmatch(NIGHTS, nights), nights
        run = retold.pop("Twenty clicks are one run")
        assert re.fullmatch(RUN.format("ready since an earlier run of the demo"), run)
        assert retold.pop("No kickoff comes without its work") == weekend
        people = retold.pop("From a phone number to a complete profile")
        assert people == PEOPLE.format("signed up by an earlier run")
        offers = retold.pop("One set for each, at 09:00 in their own zone")
        assert offers == MORNING.format("on an earlier run")
        assert retold.items() <= first.items()
        assert psql(folder, COUNTS) == counts, "nothing was made twice"
    finally:
        assert again.stop() == 0
    goes_on(folder)
    eventually(lambda: not servers_of(folder))


# A letter and a gap to play with, and something of everything that moves.
MOVES = """
SELECT (SELECT count(*) FROM handfast.dead_letters WHERE kind = 'shop.ship') > 0,
       (SELECT count(*) FROM handfast.jobs WHERE kind = 'shop.pack' AND state = 'succeeded') > 1,
       (SELECT count(*) FROM public.demo_sales WHERE NOT invoiced) > 0,
       (SELECT count(*) FROM handfast.match_runs WHERE status = 'ready') > 1,
       (SELECT count(*) FROM handfast.game_sessions WHERE status = 'settled') > 17,
       (SELECT count(*) FROM handfast.fixtures WHERE round = 'friendly') > 0,
       (SELECT count(*) FROM handfast.jobs
        WHERE kind = 'webhooks.deliver' AND state = 'succeeded') > 3"""


def goes_on(folder: Path) -> None:
    moving = Demo(folder)
    try:
        url = moving.until("Handfast is ready at http://")[-1].split()[-1]
        moving.until("Told in", within=240)
        eventually(lambda: psql(folder, MOVES) == "t|t|t|t|t|t|t", within=120)
        with urlopen(f"{url}/metrics", timeout=20) as answer:
            assert "handfast_background_deaths_total{" not in answer.read().decode()
    finally:
        assert moving.stop() == 0


def test_without_the_story(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    demo = Demo(folder, "--no-story")
    try:
        assert demo.until("Handfast is ready at http://")
        assert psql(folder, JOBS) == "0"
    finally:
        assert demo.stop() == 0


def test_its_folder_is_that_of_the_baseline_and_others_are_left_alone(tmp_path: Path) -> None:
    home, said = tmp_path / "home", tmp_path / "said"
    old = home / "demo"
    old.mkdir(parents=True)
    (old / "kept").write_text("as it was")
    with said.open("w") as stderr:
        demo = subprocess.Popen(
            [sys.executable, "-m", "handfast", "demo", "--no-story", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={**os.environ, "HANDFAST_DATA_DIR": str(home)},
        )
    assert demo.stdout is not None
    try:
        assert demo.stdout.readline().startswith("Handfast is ready at http://"), said.read_text()
    finally:
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(30) == 0
        demo.stdout.close()
    assert (home / f"demo-{BASELINE}" / "pgdata").exists()
    assert [file.name for file in old.iterdir()] == ["kept"]
    lines = [line for line in said.read_text().splitlines() if line.endswith(str(old))]
    assert lines == [f"Samples of another build, left as they are and yours to delete: {old}"]


async def test_a_scene_that_breaks_is_told_whatever_broke_it() -> None:
    async def slow_call(_: Stage) -> ShownFact:
        raise httpx2.ReadTimeout("")

    fact = await play(slow_call, cast("Stage", None))
    assert not fact.true
    assert (fact.title, fact.proof) == ("slow call", "could not be shown: ReadTimeout")


async def test_a_story_that_ends_by_an_error_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise ValueError("the last page is missing")

    monkeypatch.setattr(demo_story, "play_story", broken)
    await demo_story.telling(Settings(), "http://127.0.0.1:1", traffic=False)
    assert "ValueError('the last page is missing')" in " ".join(capsys.readouterr().out.split())
