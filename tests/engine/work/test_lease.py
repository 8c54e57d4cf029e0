"""What a worker holds: when a job was due comes as seconds, and loses nothing on the way."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from handfast import Context
from handfast.engine.work.lease import Claimed
from tests.support.workers_here import Workers


@given(
    st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2242, 1, 1)),  # noqa: DTZ001
)
def test_seconds_keep_the_microsecond(instant: datetime) -> None:
    due = instant.replace(tzinfo=UTC)
    seconds = (due - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1)
    claimed = Claimed(1, 1, 1, "t.job", "1", "{}", 1, seconds, False, "default", 10)
    assert claimed.due_at == due


async def test_the_context_has_the_databases_microsecond(shop: Workers) -> None:
    instants = [datetime(2026, 6, 1, 12, 0, 0, us, tzinfo=UTC) for us in (0, 1, 123457, 999999)]
    seen: dict[str, datetime] = {}

    @shop.hf.job("t.due")
    async def due(ctx: Context) -> None:
        seen[ctx.key] = ctx.due_at

    for instant in instants:
        await shop.enqueue(due, str(instant.microsecond), due=instant)
    async with shop.working():
        await shop.drained()
    assert sorted(seen.values()) == instants
