"""Declare a job, enqueue it together with your own row, work on it, read its result.

Run it with `python examples/welcome_mail.py`.

Uses the database that DATABASE_URL names, or the embedded one. Run it twice: the second run finds
the job that the first one made.
"""

import asyncio

from handfast import Context, Handfast, JobState, Retry

hf = Handfast()


@hf.job("mail.welcome", retry=Retry.background)
async def welcome(ctx: Context, user_id: str) -> str:
    # A real one would talk to a mail server, with ctx.key as the message's id.
    return f"sent to {user_id}"


async def sign_up(user_id: str) -> None:
    async with hf.transaction() as tx:  # the user and the job commit together, or neither does
        await tx.execute("INSERT INTO example_users VALUES ($1) ON CONFLICT DO NOTHING", user_id)
        job = await hf.enqueue(tx, welcome, key=f"welcome:{user_id}", user_id=user_id)
    print(f"job {job.id}: {'new' if job.created else 'there already'}")


async def main() -> None:
    async with hf:
        async with hf.transaction() as tx:
            await tx.execute("CREATE TABLE IF NOT EXISTS example_users (id text PRIMARY KEY)")
        await sign_up("ada")
        await sign_up("ada")  # the same identity: the same job, not a second mail

        worker = await hf.worker()
        working = asyncio.create_task(worker.run())
        while True:  # asking again is also how one looks: it answers the first job
            job = await hf.enqueue_now(welcome, key="welcome:ada", user_id="ada")
            if job.state is JobState.SUCCEEDED:
                break
            await asyncio.sleep(0.02)
        print(f"{job.state}: {job.result}")
        worker.stop()
        await working


if __name__ == "__main__":
    asyncio.run(main())
