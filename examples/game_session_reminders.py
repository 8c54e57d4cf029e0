"""A pipeline of one's own: invitations, reminders and thanks around the sessions of a game.

The steps are declared in game_session_reminders.toml. One session is three days away, one begins
in ten minutes: what is late for it happens at once. Run it with
`python examples/game_session_reminders.py`.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from handfast import Context, Fixture, Handfast

hf = Handfast(capabilities=["fixtures"])
hf.pipelines_from(Path(__file__).with_suffix(".toml"))


async def players(fixture: int) -> str:
    found = (await (await hf.fixtures()).get(fixture)).fixture
    return f"{found.home} and {found.away}"


@hf.job("game.invite")
async def invite(ctx: Context, fixture: int) -> None:
    print(f"{await players(fixture)} are invited")


@hf.job("game.remind")
async def remind(ctx: Context, fixture: int) -> None:
    print(f"{await players(fixture)} are reminded")


@hf.job("game.thank")
async def thank(ctx: Context, fixture: int) -> None:
    print(f"{await players(fixture)} are thanked")


async def show(what: str, fixture: int, begins: datetime) -> None:
    steps = (await (await hf.fixtures()).get(fixture)).steps
    told = [
        f"{one.step} {one.state} {(one.due_at - begins) / timedelta(minutes=1):+.0f} min"
        for one in steps
        if one.due_at
    ]
    print(f"{what}: {', '.join(told)}")


async def main() -> None:
    now, night = datetime.now(UTC), uuid4().hex[:8]
    later, soon = now + timedelta(days=3), now + timedelta(minutes=10)
    async with hf:
        worker = await hf.worker()  # tells the database of the pipeline
        sessions = await hf.fixtures()
        async with hf.transaction() as tx:  # your own rows would go into it, too
            await sessions.put(
                tx,
                "arena",
                [
                    Fixture(external_id=f"{night}-1", home="Ada", away="Bo", kickoff=later),
                    Fixture(external_id=f"{night}-2", home="Cy", away="Di", kickoff=soon),
                ],
                pipeline="session",
            )
            first, second = await tx.fetch(
                "SELECT id FROM handfast_fixtures.fixtures WHERE external_id LIKE $1 ORDER BY"
                " external_id",
                f"{night}-%",
            )
        await show("in three days", first["id"], later)

        working = asyncio.create_task(worker.run())
        while True:  # the late ones
            found = await sessions.get(second["id"])
            if [one.state for one in found.steps] == ["succeeded", "succeeded", "scheduled"]:
                break
            await asyncio.sleep(0.02)
        worker.stop()
        await working

        async with hf.transaction() as tx:  # a day later: what waits moves along
            other = later + timedelta(days=1)
            moved = Fixture(external_id=f"{night}-1", home="Ada", away="Bo", kickoff=other)
            report = await sessions.put(tx, "arena", [moved])
        await show(f"{report.moved} moved", first["id"], other)


if __name__ == "__main__":
    asyncio.run(main())
