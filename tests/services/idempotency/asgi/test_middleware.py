"""What happens to a request with a key: executed once, answered as often as it is asked."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from handfast.base.errors import NotAllowed
from handfast.db.embedded import EmbeddedServer
from handfast.db.errors import TransactionEnded
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.services.idempotency import IdempotencyMiddleware, PostgresStore, transaction
from tests.support.eventually import eventually_async
from tests.support.keyed_shop import STATE, TABLE, Shop, effects, new_key, open_shop, who
from tests.support.silent_proxy import SilentProxy

pytestmark = pytest.mark.on_lowest


async def states(database: Database) -> list[tuple[str, int | None]]:
    async with database.connection() as connection:
        rows = await connection.fetch(
            f"SELECT {STATE}, status FROM handfast_idempotency.records ORDER BY first_used_at"
        )
    return [tuple(row) for row in rows]


async def test_a_duplicate_gets_the_same_response_and_changes_nothing(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        first = await shop.post(key=key, what="one")
        second = await shop.post(key=key.upper(), what="one")
        assert (first.status_code, second.status_code) == (201, 201)
        assert second.content == first.content
        assert second.headers["location"] == first.headers["location"]
        assert "idempotent-replayed" not in first.headers
        assert second.headers["idempotent-replayed"] == "true"
        assert "set-cookie" in first.headers
        assert "set-cookie" not in second.headers, "a session is not for whoever asks again"
        assert "x-other" not in second.headers
        assert shop.calls == ["one"]
        assert await shop.effects() == ["one"]
        assert await states(database) == [("done", 201)]


@pytest.mark.parametrize(
    ("path", "wish"),
    [("/orders", {"what": "two"}), ("/orders?x=1", {"what": "one"}), ("/short", {"what": "one"})],
    ids=["body", "query", "path"],
)
async def test_another_request_with_the_same_key_is_a_conflict(
    database: Database, path: str, wish: dict[str, Any]
) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        await shop.post(key=key, what="one")
        second = await shop.post(path, key=key, **wish)
        assert second.status_code == 409
        problem = second.json()
        assert second.headers["content-type"] == "application/problem+json"
        assert problem["type"] == "urn:handfast:problem:idempotency-key-reused"
        assert problem["code"] == "IDEMPOTENCY_KEY_REUSED"
        assert problem["message"]
        assert "retry-after" not in second.headers
        assert await shop.effects() == ["one"]


async def test_another_users_key_is_another_key(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        mine = await shop.post(key=key, what="mine")
        hers = await shop.post(key=key, user="eve", what="hers")
        same = await shop.post(key=key, user="mallory", what="mine")
        assert [r.status_code for r in (mine, hers, same)] == [201, 201, 201]
        assert len({r.json()["id"] for r in (mine, hers, same)}) == 3, "nothing was replayed"
        assert await shop.effects() == ["mine", "hers", "mine"]
        again = await shop.post(key=key, user="eve", what="hers")
        assert again.content == hers.content


async def test_a_key_is_required_optional_or_ignored(database: Database) -> None:
    async with open_shop(database) as shop:
        missing = await shop.post()
        assert missing.status_code == 400
        assert missing.json()["code"] == "IDEMPOTENCY_KEY_MISSING"
        assert shop.calls == []
        assert (await shop.post("/elsewhere")).status_code == 201
        assert (await shop.post("/orders/7/notes")).status_code == 201
        for _ in range(2):
            out = await shop.post("/logout", key="not even a key")
            assert out.status_code == 201
        assert len(await shop.effects()) == 4
        assert await states(database) == []
        got = await shop.client.get("/orders", headers={"x-user": "a", "idempotency-key": "rot"})
        assert got.status_code == 201, "a key on GET is ignored"


@pytest.mark.parametrize("status", [400, 404, 409, 422])
async def test_a_refusal_by_the_operation_is_kept_and_its_writes_are_undone(
    database: Database, status: int
) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        first = await shop.post(key=key, status=status)
        second = await shop.post(key=key, status=status)
        assert (first.status_code, second.status_code) == (status, status)
        assert second.headers["idempotent-replayed"] == "true"
        assert second.content == first.content
        assert shop.calls == ["x"]
        assert await shop.effects() == []
        assert await states(database) == [("done", status)]


@pytest.mark.parametrize("status", [401, 403, 408, 425, 429, 500, 502, 503])
async def test_what_is_never_kept_is_executed_again(database: Database, status: int) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        for _ in range(2):
            answer = await shop.post(key=key, status=status)
            assert answer.status_code == status
            assert "idempotent-replayed" not in answer.headers
            assert await states(database) == [("free", None)]
        assert shop.calls == ["x", "x"]
        assert await shop.effects() == []
        other = await shop.post(key=key, what="other")
        assert other.status_code == 409, "it was begun: the key stays with its request"


async def test_a_refusal_before_the_operation_began_leaves_no_trace(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        assert (await shop.post(key=key, status=422, take=False)).status_code == 422
        assert await states(database) == []
        assert (await shop.post(key=key, what="corrected")).status_code == 201


async def test_started_keeps_a_refusal_without_a_transaction(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        for _ in range(2):
            answer = await shop.post(key=key, status=404, take=False, say_started=True)
            assert answer.status_code == 404
        assert shop.calls == ["x"]
        assert answer.headers["idempotent-replayed"] == "true"


async def test_a_success_without_a_transaction_is_kept(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        await shop.post(key=key, status=200, take=False)
        assert (await shop.post(key=key, status=200, take=False)).headers["idempotent-replayed"]
        assert shop.calls == ["x"]


@pytest.mark.parametrize("take", [True, False])
async def test_a_redirect_is_kept_only_once_the_operation_began(
    database: Database, take: bool
) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        for _ in range(2):
            assert (await shop.post(key=key, status=303, take=take)).status_code == 303
        assert shop.calls == (["x"] if take else ["x", "x"])
        assert await shop.effects() == (["x"] if take else [])


async def test_an_exception_releases_the_claim(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        with pytest.raises(RuntimeError, match="boom"):
            await strict_post(shop, key, fail="boom")
        assert await shop.effects() == []
        assert await states(database) == [("free", None)]
        with pytest.raises(RuntimeError, match="boom"):
            await strict_post(shop, key, fail="boom")
        assert shop.calls == ["x", "x"]


async def strict_post(shop: Shop, key: str, **wish: Any) -> None:
    """Straight into the application: what it raises reaches the server."""
    import msgspec

    from tests.support.keyed_shop import Wish

    body = msgspec.json.encode(Wish(**wish))
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/orders",
        "query_string": b"",
        "headers": [(b"idempotency-key", key.encode()), (b"x-user", b"ada")],
    }

    async def receive() -> Any:
        return {"type": "http.request", "body": body}

    async def send(_message: Any) -> None: ...

    await shop.app(scope, receive, send)


async def test_ten_at_once_are_one_execution(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        answers = await asyncio.gather(*(shop.post(key=key, seconds=0.2) for _ in range(10)))
        assert {a.status_code for a in answers} == {201}
        assert len({a.content for a in answers}) == 1
        assert sum("idempotent-replayed" in a.headers for a in answers) == 9
        assert shop.calls == ["x"]
        assert await shop.effects() == ["x"]


async def test_a_duplicate_that_waits_in_vain_is_told_to_come_back(database: Database) -> None:
    async with open_shop(database, wait=0.1) as shop:
        key = new_key()
        first = asyncio.create_task(shop.post(key=key, gated=True))
        await eventually_async(shop.is_called)
        second = await shop.post(key=key, gated=True)
        assert second.status_code == 409
        assert second.json()["type"] == "urn:handfast:problem:idempotency-in-progress"
        assert int(second.headers["retry-after"]) >= 1
        shop.gate.set()
        assert (await first).status_code == 201


async def test_when_the_first_fails_exactly_one_waiter_takes_over(database: Database) -> None:
    """The shop's failures are by request, so the first execution fails by its connection."""
    async with open_shop(database) as shop:
        key = new_key()
        waiting = [asyncio.create_task(shop.post(key=key, gated=True)) for _ in range(5)]

        async def killed() -> int:
            async with database.connection() as connection:
                ended: int = await connection.fetchval(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    " WHERE state = 'idle in transaction' AND datname = current_database()"
                )
                return ended

        assert await eventually_async(killed) == 1
        shop.gate.set()
        answers = await asyncio.gather(*waiting)
        assert sorted(a.status_code for a in answers) == [201, 201, 201, 201, 500]
        assert shop.calls == ["x", "x"]
        assert await shop.effects() == ["x"]


async def test_access_is_checked_again_before_a_replay(database: Database) -> None:
    allowed = True

    async def authorize(_scope: Any, principal: str) -> None:
        if not allowed:
            raise NotAllowed(f"{principal} has been suspended.")

    async with open_shop(database, authorize=authorize) as shop:
        key = new_key()
        assert (await shop.post(key=key)).status_code == 201
        allowed = False
        refused = await shop.post(key=key)
        assert refused.status_code == 403
        assert refused.json()["code"] == "NOT_ALLOWED"
        allowed = True
        assert (await shop.post(key=key)).headers["idempotent-replayed"] == "true"


async def test_a_stranger_is_refused_before_anything_else(database: Database) -> None:
    async with open_shop(database) as shop:
        answer = await shop.client.post("/orders", headers={"idempotency-key": "rubbish"})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert shop.calls == []


async def test_a_large_response_is_passed_on_and_says_that_it_is_not_kept(
    database: Database,
) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        first = await shop.post(key=key, size=1024 * 1024 + 1)
        assert len(first.content) == 1024 * 1024 + 1
        assert first.headers["idempotent-stored"] == "false"
        second = await shop.post(key=key, size=1024 * 1024 + 1)
        assert second.status_code == 409
        assert second.json()["code"] == "IDEMPOTENCY_RESPONSE_NOT_KEPT"
        assert await shop.effects() == ["x"], "never twice, even without a response to show"
        exact = await shop.post(key=new_key(), size=1024 * 1024)
        assert "idempotent-stored" not in exact.headers


async def test_a_stream_is_passed_on_as_it_comes(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        for _ in range(2):  # nothing began, nothing is kept: as if there were no key
            answer = await shop.post(key=key, pieces=3, take=False)
            assert answer.headers["idempotent-stored"] == "false"
            assert answer.content.count(b'"what"') == 3
        assert shop.calls == ["x", "x"]
        written = await shop.post(key=new_key(), pieces=2)
        assert written.status_code == 201
        assert await shop.effects() == ["x"]


async def test_a_failed_commit_is_a_problem_and_nothing_is_kept(database: Database) -> None:
    async with open_shop(database) as shop:
        async with database.connection() as connection:
            await connection.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE"
                " check_violation USING CONSTRAINT = 'no_more', MESSAGE = 'no more'; END $$;"
                "CREATE CONSTRAINT TRIGGER no_more AFTER INSERT ON effects DEFERRABLE INITIALLY"
                " DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
            )
        key = new_key()
        answer = await shop.post(key=key)
        assert answer.status_code == 409
        assert answer.json()["code"] == "CONSTRAINT_VIOLATED"
        assert await shop.effects() == []
        assert await states(database) == [("free", None)]


async def test_a_commit_that_nobody_can_be_asked_about_is_unknown(
    server: EmbeddedServer, dsn: str, database: Database
) -> None:
    """The database is out of reach from the middle of it on, and stores everything."""
    async with database.connection() as connection:
        await connection.execute(
            f"{TABLE}; CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$;"
            "CREATE CONSTRAINT TRIGGER slowly AFTER INSERT ON effects DEFERRABLE INITIALLY"
            " DEFERRED FOR EACH ROW EXECUTE FUNCTION slowly()"
        )

    async def committing() -> bool:
        async with database.connection() as connection:
            return bool(
                await connection.fetchval(
                    "SELECT true FROM pg_stat_activity WHERE query LIKE '%COMMIT%'"
                    " AND wait_event = 'advisory' AND datname = current_database()"
                )
            )

    async def stored() -> bool:
        return await effects(database) == ["x"]

    async with AsyncExitStack() as stack, database.transaction() as holder:
        await holder.execute("SELECT pg_advisory_xact_lock(7)")  # until nobody can be asked
        async with SilentProxy(server.address.host, 5432) as proxy:
            store = PostgresStore(proxy.dsn(urlsplit(dsn).path.lstrip("/")))
            shop = await stack.enter_async_context(open_shop(await store.database(), store))
            asking = asyncio.create_task(shop.post(key=new_key()))
            await eventually_async(committing)
        answer = await asking
    assert (answer.status_code, answer.json()["code"]) == (500, "COMMIT_UNKNOWN")
    await eventually_async(stored)


async def test_the_requests_transaction_refuses_after_the_response(dsn: str) -> None:
    """As in a background task: it would write into another request's transaction."""
    kept: list[Transaction] = []

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        async with transaction(scope) as tx:
            await tx.execute("SELECT 1")
        kept.append(tx)
        await send({"type": "http.response.start", "status": 201, "headers": []})
        await send({"type": "http.response.body", "body": b"made"})
        with pytest.raises(TransactionEnded):
            await tx.execute("SELECT 1")

    store = PostgresStore(dsn, pool_size=1)
    keyed = IdempotencyMiddleware(app, store, principal=who)
    shop = Shop(await store.database(), store, [], asyncio.Event(), keyed)
    for key in (new_key(), None):
        assert (await shop.post(key=key)).status_code == 201
        async with (await store.database()).transaction() as other:
            with pytest.raises(TransactionEnded):
                await kept.pop().execute("CREATE TABLE lost ()")
            assert await other.fetchval("SELECT to_regclass('lost')") is None
    await shop.client.aclose()
    await store.close()
