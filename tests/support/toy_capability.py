"""A toy capability: a kind, a schedule, a route, a page, a command, a chore, an alert, a hook, a
table."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from cyclopts import App
from litestar import Router, get

from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.edge.http.policies import ANYONE, policy
from handfast.engine.capability import Capability, Command, EventType, Fact, Hook, Page
from handfast.engine.crew import Crew, WorkerOptions, cron_schedule, scheduled_kind
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.maintenance.chores import Chore
from handfast.engine.operating.alerts import AlertRule
from handfast.engine.schedules.declared import DeclaredSchedules
from handfast.engine.system import System, Wanted
from handfast.engine.work.context import Context

HERE = "tests.support.toy_capability"
ALERTS = (AlertRule("toys_broken", 0.0, "A toy is broken.", lambda _: 1.0),)
TABLE = "CREATE TABLE IF NOT EXISTS public.toys (name text PRIMARY KEY, day date)"


async def wind_up(ctx: Context) -> None:
    async with ctx.completing() as tx:
        await tx.execute("INSERT INTO public.toys VALUES ($1)", ctx.key)


@asynccontextmanager
async def open_work(system: System, wanted: Wanted) -> AsyncIterator[list[Crew]]:
    """Its one crew, with a table of its own."""
    async with system.database.transaction() as tx:
        await tx.execute(TABLE)
    kind = scheduled_kind("toys.wind_up", "toys", wind_up, timeout=10.0)
    kinds, schedules = Kinds(), DeclaredSchedules()
    kinds.add(kind)
    schedules.add(cron_schedule("toys.nightly", kind, "0 3 * * *"))
    yield [Crew(kinds, WorkerOptions(lanes=("toys",)), schedules=schedules)]


def chores(database: Database) -> list[Chore]:
    async def sweep() -> None:
        async with database.connection() as connection:
            await connection.fetchval("SELECT count(*) FROM public.toys")

    return [Chore("toys", sweep, timedelta(hours=1))]


@policy(ANYONE)
@get("/toys", sync_to_thread=False)
def toys() -> list[str]:
    """What there is."""
    return ["bear"]


router = Router("/", route_handlers=[toys])
app = App(name="toys", help="Toys.")


@app.command
def wind() -> None:
    """Wind them up."""
    print("wound up")  # noqa: T201


async def tidy(tx: Transaction, room: str) -> None:
    await tx.execute("INSERT INTO public.toys VALUES ($1)", f"tidied {room}")


async def check(system: System) -> Any:
    return None


TOYS = Capability(
    name="toys",
    about="toys",
    requires=("webhooks",),
    work=f"{HERE}:open_work",
    lanes=("toys",),
    chores=f"{HERE}:chores",
    alerts=f"{HERE}:ALERTS",
    events=(EventType("toy.broken", "a toy is broken"),),
    facts=(Fact("room.left", ("room",)),),
    hooks=(Hook("room.left", f"{HERE}:tidy"),),
    routes=f"{HERE}:router",
    pages=(Page("toys", "Toys"),),
    commands=(Command("toys", f"{HERE}:app", "Toys."),),
    checks=f"{HERE}:check",
)
