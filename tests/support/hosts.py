"""Hosts in a test's own process."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import fields
from typing import Any

from handfast.engine.crew import WorkerOptions
from handfast.engine.host import Host, HostOptions

_HOST = {field.name for field in fields(HostOptions)}


def options_of(given: Mapping[str, Any]) -> tuple[WorkerOptions, HostOptions]:
    """Those of the worker, and those of its host."""
    host = {name: value for name, value in given.items() if name in _HOST}
    return WorkerOptions(**{n: v for n, v in given.items() if n not in _HOST}), HostOptions(**host)


@asynccontextmanager
async def running(host: Host) -> AsyncIterator[Host]:
    """In the background, and stopped in good order."""
    task = asyncio.create_task(host.run())
    try:
        yield host
    finally:
        host.stop()
        await asyncio.wait_for(task, 30)
