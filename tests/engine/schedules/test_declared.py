"""Declaring schedules: what is wrong is refused at once, with what to write instead."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any, cast

import msgspec
import pytest

from handfast import CatchUp, Context, Handfast, Tick
from handfast.base.errors import HandfastError
from handfast.engine.errors import PayloadInvalid, ScheduleInvalid

declared = Handfast()
hf: Any = declared  # some of what is declared below is wrong on purpose
TICK = Tick("s", datetime(2026, 2, 19, 9, tzinfo=UTC), "Asia/Tokyo", date(2026, 2, 19))


@declared.job("test.plain")
async def plain(_ctx: Context) -> None: ...


@declared.job("test.told")
async def told(_ctx: Context, day: date, zone: str, at: datetime) -> None: ...


@declared.job("test.sized")
async def sized(_ctx: Context, size: int) -> None: ...


def not_a_job() -> None: ...


def zones_now() -> list[str]:
    return ["UTC"]


NEVER = "never fires"
READ = "cannot be read"


@pytest.mark.parametrize(
    ("declare", "said", "example"),
    [
        (lambda: hf.cron("s", plain, "0 0 30 2 *"), NEVER, "0 0 L * *"),
        (lambda: hf.cron("s", plain, "0 0 31 4,6,9,11 *"), NEVER, "0 0 L * *"),
        (lambda: hf.cron("s", plain, "every day"), "has 2 fields, not 5", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, ""), "has 0 fields, not 5", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, "0 0 * * * *"), "has 6 fields, not 5", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, "60 * * * *"), f"{READ}: Bad minute", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, "* 24 * * *"), f"{READ}: Bad hour", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, "* * 0 * *"), f"{READ}: Bad day-of-month", "0 9 * * MON"),
        (lambda: hf.cron("s", plain, "* * * 13 *"), f"{READ}: Bad month", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, "* * * * 8"), f"{READ}: Bad day-of-week", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, "*/0 * * * *"), READ, "*/5 * * * *"),
        (lambda: hf.cron("s", plain, 5), "not a text", "*/5 * * * *"),
        (lambda: hf.cron("s", plain, "* * * * *", zone="Berlin"), "no time zone", "Europe/Berlin"),
        (lambda: hf.cron("s", not_a_job, "* * * * *"), "not a job", "@hf.job('area.name')"),
        (lambda: hf.cron("s", "test.other", "* * * * *"), "no kind", "@hf.job('test.other')"),
        (lambda: hf.cron("S p", plain, "* * * * *"), "not a schedule's name", "reports.hourly"),
        (lambda: hf.cron("", plain, "* * * * *"), "not a schedule's name", "reports.hourly"),
        (
            lambda: hf.cron("s", plain, "* * * * *", catch_up="all"),
            "catch_up is 'all'",
            "CatchUp.all",
        ),
        (lambda: CatchUp.within(timedelta(0)), "window", "timedelta(hours=6)"),
        (lambda: CatchUp.within(cast("Any", 3600)), "window", "timedelta(hours=6)"),
        (lambda: CatchUp.all.capped(0), "cap is 0", "CatchUp.all.capped(100)"),
        (lambda: CatchUp.all.capped(10**6), "cap is", "1 to 10,000"),
        (lambda: hf.daily("s", plain, at=time(9), zones=[]), "zones is empty", "'Asia/Tokyo'"),
        (lambda: hf.daily("s", plain, at=time(9), zones=["X/Y"]), "no time zone", "Europe/Berlin"),
        (lambda: hf.daily("s", plain, at=time(9), zones="UTC"), "the text 'UTC'", "zones=["),
        (lambda: hf.daily("s", plain, at=time(9), zones=zones_now), "not an async", "zones=["),
        (lambda: hf.daily("s", plain, at="09:00", zones=["UTC"]), "at is '09:00'", "at=time(9)"),
        (lambda: hf.daily("s", plain, at=time(9, 0, 1), zones=["UTC"]), "at is", "at=time(9)"),
        (
            lambda: hf.daily("s", plain, at=time(9, tzinfo=UTC), zones=["UTC"]),
            "at is",
            "without a zone of its own",
        ),
    ],
)
def test_what_cannot_be_followed_is_refused(
    declare: Callable[[], Any], said: str, example: str
) -> None:
    with pytest.raises(ScheduleInvalid, match=re.escape(said)) as refused:
        declare()
    assert example in str(refused.value)
    assert refused.value.hint
    assert len(hf.schedules) == 0


@pytest.mark.parametrize("payload", [None, {"size": "large"}, {"sise": 1}])
def test_a_payload_that_does_not_fit_is_refused(payload: dict[str, Any] | None) -> None:
    with pytest.raises(PayloadInvalid, match="size: int"):
        hf.cron("s", sized, "* * * * *", payload=payload)


def test_a_name_is_declared_once() -> None:
    own = Handfast()
    own.job("test.plain")(plain)
    own.cron("s", "test.plain", "* * * * *")
    with pytest.raises(ScheduleInvalid, match="declared twice"):
        own.daily("s", plain, at=time(9), zones=["UTC"])


def test_payloads_and_keys() -> None:
    own = Handfast()
    for kind, handler in (("test.plain", plain), ("test.told", told), ("test.sized", sized)):
        own.job(kind)(handler)
    facts = own.cron("a", told, "* * * * *", zone="Asia/Tokyo")
    assert msgspec.json.decode(facts.payload_at(TICK)) == {
        "day": "2026-02-19",
        "zone": "Asia/Tokyo",
        "at": "2026-02-19T09:00:00Z",
    }
    assert facts.key_at(TICK) == "a:2026-02-19T09:00:00Z"
    elsewhere = Tick("a", TICK.at.astimezone(timezone(timedelta(hours=9))), "x", TICK.day)
    assert facts.key_at(elsewhere) == "a:2026-02-19T09:00:00Z"
    given = own.daily("b", sized, at=time(9), zones=["UTC"], payload={"size": 3})
    assert given.payload_at(TICK) == '{"size":3}'
    assert given.key_at(TICK) == "b:2026-02-19:Asia/Tokyo"
    made = own.cron(
        "c", sized, "* * * * *", payload=lambda tick: {"size": tick.day.day}, key=lambda _: "k"
    )
    assert made.payload_at(TICK) == '{"size":19}'
    assert made.key_at(TICK) == "k"
    empty = own.cron("d", plain, "* * * * *", key=lambda _: "")
    with pytest.raises(HandfastError, match="A key is a text"):
        empty.key_at(TICK)
