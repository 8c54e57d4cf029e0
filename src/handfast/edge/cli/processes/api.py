"""``handfast api``: HTTP alone."""

import asyncio
import socket

from handfast.base.settings import Settings
from handfast.edge.cli.processes.program import load_program
from handfast.edge.cli.processes.up import Host, Port
from handfast.edge.cli.speaking.options import AppName, DataDir
from handfast.edge.cli.speaking.output import ERR, OUT
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.serve import bind, serve, url_of
from handfast.edge.stopping import run_command
from handfast.facade import Handfast
from handfast.wiring import (
    admin_token,
    chosen,
    hosting,
    housekeeping,
    idempotency_secret,
    load_settings,
    open_system,
    prepare_process,
)


def api(
    *, app: AppName = None, host: Host = None, port: Port = None, data_dir: DataDir = None
) -> None:
    """Serve the API alone, without any worker: beside `worker` processes, as many as you like.

    A program is named only for what it expects to exist (`/admin/gaps`). Ctrl-C or SIGTERM stops
    it.
    """
    settings = load_settings(host=host, port=port, data_dir=data_dir, app=app)
    program = load_program(settings.app) if settings.app is not None else None
    prepare_process(settings)
    with bind(settings.host, settings.port) as bound:
        run_command(_serve(settings, bound, program))


async def _serve(settings: Settings, bound: socket.socket, program: Handfast | None) -> None:
    on = chosen(settings.capabilities, program.capabilities if program else None, serving=True)
    async with (
        open_system(settings, capabilities=on) as system,
        hosting(system, housekeeping(system)) as host,
    ):
        token = await asyncio.to_thread(admin_token, settings)
        secret = await asyncio.to_thread(idempotency_secret, settings)
        api = create_api(system, token.value, idempotency_secret=secret, program=program, host=host)
        url = url_of(bound)

        def announce() -> None:
            if token.made_now:
                ERR.print("The operator's token for /admin, made now and printed only once:")
                ERR.print(f"  {token.value}\n", markup=False)
            OUT.print(f"Handfast is ready at {url}", markup=False)
            ERR.print("  Nothing is worked on here: start `handfast worker` beside it.")

        await serve(surrounded(api), bound, announce, api.state.stopping.set, host)
    ERR.print("Handfast has stopped.")
