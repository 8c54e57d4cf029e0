"""Publishing against a block, a suspension and a deletion: who comes second knows of the first."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from tests.support.interleave import Session, Stage

pytestmark = pytest.mark.on_every_postgres

PUBLISH = "SELECT handfast_offers.lock_publishing(true)"
PART = "SELECT handfast_offers.lock_publishing(false)"
APART = "SELECT handfast_offers.apart($1, $2)"
ADA, BOB = uuid4(), uuid4()


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


async def block(session: Session) -> None:
    await session.run(
        "INSERT INTO handfast_identity.accounts (id, phone, created_at, last_active_at)"
        " VALUES ($1, '+4930123', handfast_db.now(), handfast_db.now())",
        ADA,
    )
    await session.run(
        "INSERT INTO handfast_people.users (id, created_at, updated_at)"
        " VALUES ($1, handfast_db.now(), handfast_db.now())",
        ADA,
    )
    await session.run(
        "INSERT INTO handfast_people.blocks (user_id, blocked_id, blocked_at)"
        " VALUES ($1, $2, handfast_db.now())",
        *(ADA, BOB),
    )


async def test_who_publishes_after_a_block_sees_it(stage: Stage) -> None:
    blocker, publisher = await stage.sessions("blocker", "publisher")
    await blocker.begin()
    await block(blocker)
    await blocker.run(PART)
    await publisher.begin()
    assert await publisher.run(APART, ADA, BOB) is False, "not committed"
    waiting = publisher.start(PUBLISH)
    await stage.blocked("publisher", by="blocker")
    await blocker.commit()
    await waiting
    assert await publisher.run(APART, ADA, BOB) is True
    assert await publisher.run(APART, BOB, ADA) is True
    await publisher.commit()


@pytest.mark.parametrize("change", ["suspended = true", "deleted_at = handfast_db.now()"])
async def test_who_publishes_after_a_suspension_or_a_deletion_sees_it(
    stage: Stage, change: str
) -> None:
    operator, publisher, passer_by = await stage.sessions("operator", "publisher", "passer_by")
    await passer_by.begin()
    await block(passer_by)  # Ada is there now, and has blocked Bob, which is another matter
    await passer_by.commit()
    status = "SELECT status FROM handfast_people.users WHERE id = $1"
    await operator.begin()
    await operator.run(f"UPDATE handfast_people.users SET {change} WHERE id = $1", ADA)
    await operator.run(PART)
    await publisher.begin()
    before = await publisher.run(status, ADA)
    waiting = publisher.start(PUBLISH)
    await stage.blocked("publisher", by="operator")
    await operator.commit()
    await waiting
    after = await publisher.run(status, ADA)
    assert before == "pending_verification"
    assert after == ("suspended" if "suspended" in change else "deleted")
    await publisher.commit()


async def test_a_block_waits_for_who_publishes_and_publishers_do_not_wait_for_each_other(
    stage: Stage,
) -> None:
    one, other, blocker = await stage.sessions("one", "other", "blocker")
    for publisher in (one, other):
        await publisher.begin()
        await publisher.run(PUBLISH)
    await blocker.begin()
    waiting = blocker.start(PART)
    await stage.blocked("blocker", by="one")
    await one.commit()
    await stage.blocked("blocker", by="other")
    await other.commit()
    await waiting
    await blocker.commit()
