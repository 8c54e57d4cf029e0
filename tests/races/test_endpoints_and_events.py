"""Registering, pausing and resuming an endpoint against emitting and relaying, as scripts."""

from uuid import UUID, uuid4

import pytest

from tests.support.interleave import Session, Stage

pytestmark = pytest.mark.on_every_postgres

EMIT = "SELECT handfast_engine.emit('match.created', 'match:1', '{}')"
RELAY = "SELECT handfast_webhooks.relay(100)"
ADD = """
INSERT INTO handfast_webhooks.endpoints (id, created_at, state_since, url, since)
VALUES ($1, handfast_db.now(), handfast_db.now(), 'http://127.0.0.1:1/',
        handfast_engine.next_ordinal())"""
PAUSE = "SELECT handfast_webhooks.stop($1, 'paused', 'for a test')"
RESUME = """
UPDATE handfast_webhooks.endpoints
SET state = 'active', reason = NULL, since = handfast_engine.next_ordinal() WHERE id = $1"""
QUEUE = """
SELECT coalesce(array_agg(e.id::text ORDER BY e.ordinal), '{}')
FROM handfast_engine.live AS l
JOIN handfast_engine.events AS e ON l.key = format('%s:%s', e.id, $1::text)"""
ACTIVE = "SELECT active FROM handfast_engine.outbox_consumers WHERE name = 'webhooks'"


async def add(session: Session) -> UUID:
    endpoint = uuid4()
    await session.run("SELECT handfast_engine.make_group('webhooks:' || $1, 16)", str(endpoint))
    await session.run(ADD, endpoint)
    return endpoint


async def queue(stage: Stage, endpoint: UUID) -> list[str]:
    """The events that wait for it, as they were emitted."""
    found: list[str] = await stage.look(QUEUE, str(endpoint))
    return found


async def test_it_gets_what_is_newer_than_its_registration(dsn: str) -> None:
    """Also if the relay comes long after both."""
    async with Stage(dsn) as stage:
        (one,) = await stage.sessions("one")
        first = await add(one)
        before = str(await one.run(EMIT))
        second = await add(one)
        after = str(await one.run(EMIT))
        assert await one.run(RELAY) == 2
        assert await queue(stage, first) == [before, after]
        assert await queue(stage, second) == [after]


async def test_nothing_of_the_time_in_which_it_was_paused(dsn: str) -> None:
    """Emitted before, during and after a pause, all of it relayed at the end."""
    async with Stage(dsn) as stage:
        (one,) = await stage.sessions("one")
        always, paused = await add(one), await add(one)
        events = [str(await one.run(EMIT))]
        await one.run(PAUSE, paused)
        events.append(str(await one.run(EMIT)))
        await one.run(RESUME, paused)
        events.append(str(await one.run(EMIT)))
        assert await one.run(RELAY) == 3
        assert await queue(stage, always) == events
        assert await queue(stage, paused) == events[2:]


async def test_an_emit_that_commits_late_is_not_lost(dsn: str) -> None:
    async with Stage(dsn) as stage:
        emits, relays = await stage.sessions("emits", "relays")
        endpoint = await add(relays)
        await emits.begin()
        late = str(await emits.run(EMIT.replace("match:1", "match:2")))
        early = str(await relays.run(EMIT))
        assert await relays.run(RELAY) == 1
        await emits.commit()
        assert await relays.run(RELAY) == 1
        assert await queue(stage, endpoint) == [late, early], "by when they were emitted"


async def test_two_relays_take_different_rows(dsn: str) -> None:
    async with Stage(dsn) as stage:
        first, second = await stage.sessions("first", "second")
        endpoint = await add(first)
        events = [str(await first.run(EMIT)) for _ in range(2)]
        await first.begin()
        assert await first.run("SELECT handfast_webhooks.relay(1)") == 1
        assert await second.run(RELAY) == 1, "the other one, without waiting"
        await first.rollback()
        assert await queue(stage, endpoint) == events[1:]
        assert await second.run(RELAY) == 1, "what was given back"
        assert sorted(await queue(stage, endpoint)) == sorted(events)


async def test_the_last_one_stops_while_another_is_registered(dsn: str) -> None:
    """In either order events are wanted afterwards: whoever comes second waits and sees."""
    for stops_first in (True, False):
        async with Stage(dsn) as stage:
            stops, adds = await stage.sessions("stops", "adds")
            old = await add(adds)
            await stops.begin()
            await adds.begin()
            new = uuid4()
            if stops_first:
                await stops.run(PAUSE, old)
                late = adds.start(ADD, new)
                await stage.blocked("adds", by="stops")
                await stops.commit()
                await late
                await adds.commit()
            else:
                await adds.run(ADD, new)
                late = stops.start(PAUSE, old)
                await stage.blocked("stops", by="adds")
                await adds.commit()
                await late
                await stops.commit()
            assert await stage.look(ACTIVE) is True
            event = str(await adds.run(EMIT))
            await adds.run(RELAY)
            assert await queue(stage, new) == [event]
            assert await queue(stage, old) == []
            await adds.run(PAUSE, new)
            assert await stage.look(ACTIVE) is False
            await adds.run(EMIT)
            assert await adds.run(RELAY) == 0, "nobody wants it: no row"
