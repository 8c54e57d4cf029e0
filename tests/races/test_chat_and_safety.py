"""A message against what ends the match, a report against its like, an appeal against its decision:
whoever comes second knows of the first."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from tests.support.interleave import Session, Stage

pytestmark = pytest.mark.on_every_postgres

SEND = "SELECT outcome FROM handfast_chat.send_message($1, $2, $3, $4, $5)"
READ = "SELECT handfast_chat.mark_read($1, $2, NULL)"
LOCK_PAIR = "SELECT handfast_offers.lock_pair($1, $2)"
CLOSE = (
    "UPDATE handfast_offers.matches SET closed_at = handfast_db.now(), closed_by = $2,"
    " closed_reason = $3 WHERE id = $1"
)
MESSAGES = "SELECT count(*) FROM handfast_chat.messages"
ADA, BOB = sorted((uuid4(), uuid4()))


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


async def match_of(session: Session) -> UUID:
    match = uuid4()
    await session.run(
        "INSERT INTO handfast_offers.matches (id, low_id, high_id, created_at)"
        " VALUES ($1, $2, $3, handfast_db.now())",
        *(match, ADA, BOB),
    )
    return match


@pytest.mark.parametrize("why", ["unmatched", "blocked"])
async def test_a_message_that_waits_for_the_end_of_its_match_is_refused(
    stage: Stage, why: str
) -> None:
    ender, sender = await stage.sessions("ender", "sender")
    match = await match_of(ender)
    await ender.begin()
    await ender.run(LOCK_PAIR, BOB, ADA)
    await ender.run(CLOSE, match, BOB, why)
    waiting = sender.start(SEND, uuid4(), match, ADA, "hi", None)
    await stage.blocked("sender", by="ender")
    await ender.commit()
    assert await waiting == "closed"
    assert await stage.look(MESSAGES) == 0


async def test_the_end_of_a_match_waits_for_a_message(stage: Stage) -> None:
    ender, sender = await stage.sessions("ender", "sender")
    match = await match_of(ender)
    await sender.begin()
    assert await sender.run(SEND, uuid4(), match, ADA, "hi", None) == "sent"
    await ender.begin()
    waiting = ender.start(LOCK_PAIR, BOB, ADA)
    await stage.blocked("ender", by="sender")
    await sender.commit()
    await waiting
    await ender.run(CLOSE, match, BOB, "unmatched")
    await ender.commit()
    assert await stage.look(MESSAGES) == 1
    assert await sender.run(SEND, uuid4(), match, ADA, "more", None) == "closed"


async def test_one_id_sent_twice_at_once(stage: Stage) -> None:
    one, other = await stage.sessions("one", "other")
    match, first, second = await match_of(one), uuid4(), uuid4()
    await one.begin()
    assert await one.run(SEND, first, match, ADA, "hi", "c-1") == "sent"
    waiting = other.start(SEND, second, match, ADA, "hi", "c-1")
    await stage.blocked("other", by="one")
    await one.commit()
    assert await waiting == "again"
    assert await stage.look("SELECT id FROM handfast_chat.messages") == first


async def test_one_id_whose_first_sending_is_undone(stage: Stage) -> None:
    one, other = await stage.sessions("one", "other")
    match, second = await match_of(one), uuid4()
    await one.begin()
    await one.run(SEND, uuid4(), match, ADA, "hi", "c-1")
    waiting = other.start(SEND, second, match, ADA, "hi", "c-1")
    await stage.blocked("other", by="one")
    await one.rollback()
    assert await waiting == "sent"
    assert await stage.look("SELECT id FROM handfast_chat.messages") == second
    assert await stage.look("SELECT messages FROM handfast_chat.chats") == 1, "no hole"


async def test_a_message_against_a_read_mark(stage: Stage) -> None:
    """What is sent meanwhile is not read."""
    sender, reader = await stage.sessions("sender", "reader")
    match = await match_of(sender)
    await sender.run(SEND, uuid4(), match, ADA, "one", None)
    await reader.begin()
    await reader.run(READ, match, BOB)
    waiting = sender.start(SEND, uuid4(), match, ADA, "two", None)
    await stage.blocked("sender", by="reader")
    await reader.commit()
    assert await waiting == "sent"
    assert await stage.look(f"{MESSAGES} WHERE read_at IS NULL") == 1


WITHIN = "SELECT count(*) FROM handfast_people.reports WHERE reporter_id = $1"
LOCK_REPORTS = "SELECT handfast_safety.lock_reports($1, $2)"


async def add_report(session: Session, reporter: UUID) -> None:
    await session.run(
        "INSERT INTO handfast_people.reports (id, reporter_id, user_id, created_at, type,"
        " subject_id, category, severity)"
        " VALUES ($1, $2, $3, handfast_db.now(), 'user', $3, 'scam', 'standard')",
        *(uuid4(), reporter, BOB),
    )


async def test_a_second_report_sees_the_first(stage: Stage) -> None:
    one, other = await stage.sessions("one", "other")
    await one.begin()
    await one.run(LOCK_REPORTS, ADA, BOB)
    await add_report(one, ADA)
    await other.begin()
    waiting = other.start(LOCK_REPORTS, ADA, BOB)
    await stage.blocked("other", by="one")
    await one.commit()
    await waiting
    assert await other.run(WITHIN, ADA) == 1
    await other.commit()


async def test_reporters_of_one_person_are_counted_together(stage: Stage) -> None:
    """Two different people at the same moment: the second makes it two."""
    restrain = "SELECT handfast_safety.restrain_if_reported($1, 2, 24)"
    one, other = await stage.sessions("one", "other")
    eve = uuid4()
    await one.begin()
    await one.run(LOCK_REPORTS, ADA, BOB)
    await add_report(one, ADA)
    assert await one.run(restrain, BOB) is False
    await other.begin()
    waiting = other.start(LOCK_REPORTS, eve, BOB)
    await stage.blocked("other", by="one")
    await one.commit()
    await waiting
    await add_report(other, eve)
    assert await other.run(restrain, BOB) is True
    await other.commit()
    assert await stage.look("SELECT reporters FROM handfast_safety.restraints") == 2


LOCK_ACTION = "SELECT user_id FROM handfast_safety.enforcement_actions WHERE id = $1 FOR UPDATE"
DECIDED = "SELECT decided_at IS NOT NULL FROM handfast_safety.appeals WHERE action_id = $1"


async def test_an_appeal_against_its_decision(stage: Stage) -> None:
    """Whoever appeals once more while the appeal is being decided learns that it is."""
    operator, user = await stage.sessions("operator", "user")
    action, appeal = uuid4(), uuid4()
    await operator.run(
        "INSERT INTO handfast_safety.enforcement_actions"
        " (id, user_id, decided_at, decision, decided_by)"
        " VALUES ($1, $2, handfast_db.now(), 'warn', 'anna')",
        *(action, BOB),
    )
    await operator.run(
        "INSERT INTO handfast_safety.appeals (id, action_id, user_id, created_at, reason)"
        " VALUES ($1, $2, $3, handfast_db.now(), 'why')",
        *(appeal, action, BOB),
    )
    await operator.begin()
    await operator.run(LOCK_ACTION, action)
    await operator.run(
        "UPDATE handfast_safety.appeals SET decided_at = handfast_db.now(), outcome = 'upheld'"
        " WHERE id = $1",
        appeal,
    )
    await user.begin()
    assert await user.run(DECIDED, action) is False, "not committed"
    waiting = user.start(LOCK_ACTION, action)
    await stage.blocked("user", by="operator")
    await operator.commit()
    await waiting
    assert await user.run(DECIDED, action) is True
    await user.commit()
