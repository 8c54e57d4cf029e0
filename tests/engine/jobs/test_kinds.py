"""Declarations, versions, and payloads that cannot be read."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from handfast import Context, Handfast
from handfast.engine.errors import KindInvalid, PayloadInvalid
from tests.support.workers_here import Workers


async def nothing() -> None: ...


async def spread(ctx: Context, *args: int) -> None: ...


async def keywords(ctx: Context, **kwargs: int) -> None: ...


async def reserved(ctx: Context, key: str) -> None: ...


async def untyped(ctx: Context, n) -> None: ...  # type: ignore[no-untyped-def]


async def unresolved(ctx: Context, n: "NoSuchThing") -> None: ...  # type: ignore[name-defined]  # noqa: F821


async def undescribable(ctx: Context, n: int | bool | list[int] | set[str]) -> None: ...


async def yields(ctx: Context) -> AsyncIterator[int]:
    yield 1


def yields_too(ctx: Context) -> Iterator[int]:
    yield 1


@pytest.mark.parametrize(
    "handler",
    [nothing, spread, keywords, reserved, untyped, unresolved, undescribable, yields, yields_too],
    ids=lambda handler: handler.__name__,
)
def test_handlers_that_cannot_be_declared(handler: Callable[..., Any]) -> None:
    with pytest.raises(KindInvalid):
        Handfast().job("t.job")(handler)


async def fine(ctx: Context, n: int = 3) -> None: ...


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "nodot"},
        {"kind": "Upper.case"},
        {"kind": ""},
        {"kind": "a.b "},
        {"priority": 0},
        {"priority": 1001},
        {"version": 0},
        {"version": 40_000},
        {"lane": ""},
        {"timeout": 0},
        {"timeout": -1},
    ],
    ids=str,
)
def test_declarations_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(KindInvalid):
        Handfast().job(**({"kind": "t.job"} | options))(fine)


def test_a_kind_is_declared_once() -> None:
    hf = Handfast()
    hf.job("t.job")(fine)
    with pytest.raises(KindInvalid, match="twice"):
        hf.job("t.job")(fine)
    with pytest.raises(KindInvalid, match="never run"):
        hf.group("g", max_running=0)


def test_a_batch_handler_is_async_and_takes_some() -> None:
    hf = Handfast()
    payload = hf.kinds.get("t.job")
    assert payload is None
    hf.job("t.job")(fine)
    kind = hf.kinds.of("t.job")
    assert kind is not None
    with pytest.raises(KindInvalid, match="async"):
        hf.batch_job("t.sync", payload=kind.payload)(lambda jobs: None)
    with pytest.raises(KindInvalid, match="0 jobs"):
        hf.batch_job("t.none", payload=kind.payload, size=0)(fine)


async def test_old_payloads_are_upgraded(shop: Workers) -> None:
    old = Workers(shop.database)

    @old.hf.job("t.kind")
    async def first(ctx: Context, name: str) -> None: ...

    seen: list[tuple[str, str]] = []

    @shop.hf.job(
        "t.kind",
        version=3,
        upgrade=lambda was, version: {"first": was["name"], "last": f"v{version}"},
    )
    async def second(ctx: Context, first: str, last: str) -> None:
        seen.append((first, last))

    job = await old.enqueue(first, name="Ada")
    async with shop.working():
        await shop.reaches(job, "succeeded")
        await shop.reaches(await shop.enqueue(second, "two", first="A", last="B"), "succeeded")
    assert seen == [("Ada", "v1"), ("A", "B")]


@pytest.mark.parametrize("upgrade", [None, lambda was, version: was["gone"], lambda was, _: was])
async def test_what_cannot_be_read_is_a_dead_letter(shop: Workers, upgrade: Any) -> None:
    @shop.hf.job("t.kind", version=2, upgrade=upgrade)
    async def handler(ctx: Context, n: int) -> None:
        raise AssertionError("must not run")

    job = await shop.enqueue(handler, n=1)
    await shop.fetch("UPDATE handfast_engine.live SET payload = '{\"m\": 1}', version = 1")
    async with shop.working():
        await shop.reaches(job, "dead")
    assert await shop.column("SELECT error_class FROM handfast_engine.dead") == ["payload"]
    assert await shop.fetch("SELECT attempt FROM handfast_engine.dead") == 1


async def test_a_revived_payload_keeps_its_version(shop: Workers) -> None:
    old = Workers(shop.database)

    @old.hf.job("t.kind", lane="mail")
    async def first(ctx: Context, n: int) -> None: ...

    job = await old.enqueue(first, n=1)
    await shop.fetch("SELECT handfast_engine.cancel($1, 'x')", job)

    @shop.hf.job("t.kind", version=2, upgrade=lambda was, _: {"m": was["n"]})
    async def second(ctx: Context, m: int) -> int:
        return m

    async with shop.working(lanes=("default", "mail")):
        assert await shop.fetch("SELECT handfast_engine.revive($1)", job)
        assert await shop.fetch("SELECT version FROM handfast_engine.live WHERE id = $1", job) in (
            1,
            None,
        )
        await shop.reaches(job, "succeeded")
    assert await shop.column("SELECT lane FROM handfast_engine.attempts") == ["mail", "mail"]


async def test_an_older_program_does_not_undo_what_a_newer_one_declared(shop: Workers) -> None:
    newer = Workers(shop.database)
    newer.hf.job("t.job", version=2, priority=5)(fine)
    shop.hf.job("t.job", priority=9)(fine)
    await newer.declare()
    await shop.declare()
    assert await shop.fetch("SELECT priority FROM handfast_engine.kinds") == 5


def test_the_message_says_what_the_payload_takes() -> None:
    hf = Handfast()
    hf.job("t.job")(fine)
    kind = hf.kinds.of(fine)
    assert kind is not None
    with pytest.raises(PayloadInvalid) as refused:
        kind.encode({"n": "x"})
    assert refused.value.hint == "It takes n: int."
    with pytest.raises(PayloadInvalid):
        kind.encode("ab")  # type: ignore[arg-type]
