"""No background task ends without a word."""

import asyncio

import pytest
import structlog

from handfast.base import supervise
from handfast.base.telemetry import REGISTRY
from tests.support.eventually import eventually_async


def deaths(name: str) -> float:
    return REGISTRY.get_sample_value("handfast_background_deaths_total", {"task": name}) or 0.0


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "PAUSE_SECONDS_MIN", 0.01)
    monkeypatch.setattr(supervise, "WELL_SECONDS", 0.5)


@pytest.mark.usefixtures("quick")
async def test_one_that_dies_is_told_counted_and_begun_again() -> None:
    calls = 0
    go_on = asyncio.Event()

    async def work() -> None:
        nonlocal calls
        calls += 1
        if calls <= 2:
            raise OverflowError("year 10000 is out of range")
        await go_on.wait()

    before = deaths("t-dies")
    with structlog.testing.capture_logs() as said:
        task = supervise.start("t-dies", work)
        await asyncio.sleep(0)
        assert "t-dies" in supervise.ailing()
        await eventually_async(lambda: asyncio.sleep(0, calls == 3))
        await eventually_async(lambda: asyncio.sleep(0, "t-dies" not in supervise.ailing()))
    assert deaths("t-dies") == before + 2
    told = [line for line in said if line["event"] == "background_task_died"]
    assert [line["task"] for line in told] == ["t-dies", "t-dies"]
    assert told[1]["again_in"] > told[0]["again_in"]
    assert isinstance(told[0]["exc_info"], OverflowError)
    go_on.set()
    await task
    assert calls == 3, "what returns is done"


async def test_cancelling_ends_it_and_a_stray_cancellation_does_not() -> None:
    async def work() -> None:
        other = asyncio.get_running_loop().create_future()
        other.cancel()
        await other

    task = supervise.start("t-stray", work)
    await eventually_async(lambda: asyncio.sleep(0, "t-stray" in supervise.ailing()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "t-stray" not in supervise.ailing()


async def test_a_pause_ends_when_it_is_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "PAUSE_SECONDS_MIN", 600.0)
    monkeypatch.setattr(supervise, "PAUSE_SECONDS_MAX", 600.0)
    stopping = asyncio.Event()

    async def work() -> None:
        if not stopping.is_set():
            raise ValueError("not yet")

    task = supervise.start("t-pause", work, stopping=stopping)
    await eventually_async(lambda: asyncio.sleep(0, "t-pause" in supervise.ailing()))
    stopping.set()
    await asyncio.wait_for(task, 60)
