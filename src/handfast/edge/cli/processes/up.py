"""``handfast up`` and ``handfast demo``: everything in one process."""

import asyncio
import contextlib
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from handfast.base.errors import SettingsError
from handfast.base.masking import mask_url
from handfast.base.settings import Mode, Settings
from handfast.base.tokens import read_tokens
from handfast.db.migrations.files import BASELINE
from handfast.edge.cli.processes.program import load_program
from handfast.edge.cli.processes.worker import (
    at_work,
    declared_by,
    operating_crews,
    print_warning,
    program_crews,
)
from handfast.edge.cli.speaking.options import AppName, DataDir
from handfast.edge.cli.speaking.output import ERR, OUT
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.cookies import is_loopback
from handfast.edge.http.policies import Caller
from handfast.edge.http.serve import bind, serve, url_of
from handfast.edge.stopping import run_command
from handfast.engine.capability import Capabilities
from handfast.engine.operating.sessions import make_code
from handfast.engine.system import System
from handfast.facade import Handfast
from handfast.wiring import (
    admin_token,
    chosen,
    hosting,
    idempotency_secret,
    load_settings,
    open_crews,
    open_system,
    prepare_process,
    require_idempotency_secret,
)

Host = Annotated[str | None, Parameter(help="The address to listen on (HANDFAST_HOST).")]
Port = Annotated[
    int | None, Parameter(help="The port to listen on; 0 takes a free one (HANDFAST_PORT).")
]
KeepServer = Annotated[
    bool | None,
    Parameter(
        negative=(),
        help="Leave the embedded PostgreSQL running afterwards (HANDFAST_KEEP_SERVER).",
    ),
]

NoStory = Annotated[
    bool, Parameter(negative=(), help="Only serve; make no sample jobs and tell nothing.")
]


Still = Annotated[
    bool, Parameter(negative=(), help="After the story nothing moves but what you do yourself.")
]

UseDatabaseUrl = Annotated[
    bool,
    Parameter(
        negative=(),
        help="Put the samples into the database of DATABASE_URL, whatever else is in it.",
    ),
]


@dataclass(frozen=True)
class Demo:
    """What ``handfast demo`` does beside serving."""

    story: bool
    traffic: bool


def up(
    *,
    app: AppName = None,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    keep_server: KeepServer = None,
) -> None:
    """Start everything in one process.

    Uses DATABASE_URL when it is set, otherwise the embedded PostgreSQL. Migrates, serves the API,
    delivers webhooks, works on match runs, on fixtures and on the jobs of your program if one is
    named, and prints "Handfast is ready at http://…" when it is. Ctrl-C or SIGTERM stops it
    cleanly.
    """
    settings = load_settings(
        host=host, port=port, data_dir=data_dir, keep_server=keep_server, app=app
    )
    _run(settings)


def demo(
    *,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    use_database_url: UseDatabaseUrl = False,
    no_story: NoStory = False,
    still: Still = False,
) -> None:
    """Start everything with sample data to look at.

    The same as `up`, on a data folder of its own unless you name one, so that samples never mix
    with your data. For the same reason it refuses to start while DATABASE_URL is set. When it is
    ready it shows the engine's guarantees with real jobs, one line each, and goes on: orders,
    games, match runs, a courier that fails, so that every page has something that moves.
    Start it again as often as you like: nothing of the story is made twice.
    """
    settings = load_settings(host=host, port=port, data_dir=data_dir)
    if settings.database_url is not None and not use_database_url:
        raise SettingsError(
            f"DATABASE_URL is set to {mask_url(settings.database_url.get_secret_value())}, and the "
            "demo would mix its samples with what is there.",
            hint="Unset DATABASE_URL to run the demo on the embedded PostgreSQL, or say "
            "--use-database-url if that database is meant for it. Nothing was started.",
        )
    if data_dir is None and settings.embedded:
        settings = settings.model_copy(update={"data_dir": _demo_folder(settings.data_dir)})
    from handfast.demo.program import DECLARED_NUMBERS  # noqa: PLC0415 - `up` has no story

    # The story's receiver is on this machine, and its people have no phones.
    settings = settings.model_copy(
        update={
            "webhooks_allow_private": True,
            "test_numbers": DECLARED_NUMBERS,
            "safety_restraint_reporters": 0,  # nobody decides about made-up people
        }
    )
    _run(settings, Demo(story=not no_story, traffic=not still))


def _demo_folder(home: Path) -> Path:
    """The demo's own for this baseline: samples are made again rather than migrated."""
    ours = home / f"demo-{BASELINE}"
    others = [str(one) for one in sorted(home.glob("demo*")) if one != ours and one.is_dir()]
    if others:
        ERR.print(
            f"Samples of another build, left as they are and yours to delete: {', '.join(others)}",
            markup=False,
        )
    return ours


def _run(settings: Settings, demo: Demo | None = None) -> None:
    require_idempotency_secret(settings)
    program = load_program(settings.app) if settings.app is not None else None
    prepare_process(settings)
    bound = bind(settings.host, settings.port)
    with bound:
        run_command(_serve(settings, bound, program, demo))


async def _serve(
    settings: Settings,
    bound: socket.socket,
    program: Handfast | None,
    demo: Demo | None,
) -> None:
    known = program  # what it declares is listed, and repaired on demand
    if demo is not None and demo.story:
        from handfast.demo.program import program as demo_program  # noqa: PLC0415 - `up` has none

        known = demo_program(settings)
    async with (
        contextlib.AsyncExitStack() as stack,
        open_system(settings, capabilities=_chosen(settings, program), may_migrate=True) as system,
        open_crews(system, declared_by(program), warn=print_warning) as crews,
        hosting(
            system,
            [*await program_crews(system, program), *operating_crews(system, known), *crews],
        ) as host,
    ):
        # After the database: a data folder that cannot be used is explained there.
        token = await asyncio.to_thread(admin_token, settings)
        secret = await asyncio.to_thread(idempotency_secret, settings)
        url = url_of(bound)
        code = await sign_in_code(system, token.value) if demo is not None else None

        def announce() -> None:
            # An address of IPv6 has brackets, which must not be taken for markup.
            OUT.print(f"Handfast is ready at {url}", markup=False)
            ERR.print(f"  Dashboard              {url}/dashboard", markup=False)
            if code is not None:
                signed_in = f"{url}/dashboard#code={code}"
                ERR.print(f"  Signed in, once        {signed_in}", markup=False, soft_wrap=True)
            ERR.print(f"  API and documentation  {url}/docs", markup=False)
            ERR.print(f"  Metrics                {url}/metrics", markup=False)
            if demo is not None and settings.embedded:
                ERR.print(f"  Data folder            {settings.data_dir}", markup=False)
            if token.made_now:
                said = f"{token.value} (made now, printed only once)"
                ERR.print(f"  Operator's token       {said}", markup=False, soft_wrap=True)
            ERR.print("  Stop with Ctrl-C.")
            if demo is not None and demo.story:
                from handfast.edge.cli.processes.demo_story import telling  # noqa: PLC0415 - `up` tells none

                story = telling(settings, url, traffic=demo.traffic)
                told = asyncio.create_task(story, name="handfast-story")
                stack.push_async_callback(_end, told)

        api = create_api(system, token.value, idempotency_secret=secret, program=known, host=host)
        await at_work(host)
        # Streams of events have no end of their own.
        await serve(surrounded(api), bound, announce, api.state.stopping.set, host)
    ERR.print("Handfast has stopped.")


async def sign_in_code(system: System, admin_token: str) -> str | None:
    """What signs the first browser in that comes with it: in development, and where nobody but this
    machine can reach us. Behind a `#`, which browsers send to nobody."""
    settings = system.settings
    if settings.mode is not Mode.DEVELOPMENT or not is_loopback(settings.host):
        return None
    [held, *_] = read_tokens(admin_token, Caller.OPERATOR)
    async with system.database.transaction() as tx:
        return await make_code(tx, Caller.OPERATOR, held)


def _chosen(settings: Settings, program: Handfast | None) -> Capabilities:
    return chosen(settings.capabilities, program.capabilities if program else None, serving=True)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
