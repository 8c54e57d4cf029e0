"""Hosts that carry many companies: those that we ship, and those that users add.

What counts is decided in SQL (``handfast_runs.shared_segments``): a row of
``handfast_runs.shared_hosts`` wins over
``shared_hosts.csv`` beside this file. Names below a company's public suffix (``acme.github.io``)
need no entry: the public-suffix list has them, in its private section.
"""

import csv
from functools import cache
from importlib import resources
from types import NoneType

import msgspec

from handfast.apps.runs.urls import canonical_url
from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

SEGMENTS_MAX = 4


class SharedHost(msgspec.Struct, frozen=True):
    """``names`` shows where the company's name stands; ``source`` says who listed the host."""

    host: str
    segments: int
    names: str
    source: str


class _Added(msgspec.Struct, frozen=True):
    host: str
    segments: int


_HOSTS = statement("runs.shared_hosts", row=_Added)
_ADD = statement("runs.add_shared_host", row=NoneType)
_REMOVE = statement("runs.remove_shared_host", row=str)


@cache
def shipped_hosts() -> tuple[SharedHost, ...]:
    """Ours, by name."""
    text = resources.files(__package__).joinpath("shared_hosts.csv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(msgspec.convert(row, SharedHost, strict=False) for row in rows)


async def list_hosts(on: Queryable) -> list[SharedHost]:
    """All that count, by name; the users' own in the place of ours."""
    found = {host.host: host for host in shipped_hosts()}
    for added in await _HOSTS.all(on):
        ours = found.get(added.host)
        if ours is None or ours.segments != added.segments:
            found[added.host] = _own(added.host, added.segments)
    return [found[name] for name in sorted(found)]


async def add_host(on: Queryable, place: str, segments: int) -> SharedHost:
    """From the next run on, what is below this host, or this folder of one, is no longer its
    owner's. Raises ``InvalidUrl`` or ``InvalidRequest``."""
    host = _place(place)
    if not (1 if "/" in host else 0) <= segments <= SEGMENTS_MAX:
        raise InvalidRequest(
            f"{segments} segments of the path cannot name a company on {host}.",
            hint=f"1 to {SEGMENTS_MAX}; 0 where names are given out below the host, as in "
            "acme.tumblr.com, which a folder cannot do.",
        )
    await _ADD.run(on, host, segments)
    return _own(host, segments)


async def remove_host(on: Queryable, place: str) -> str:
    """The host, no longer in the table. One that we ship counts as shipped again."""
    host = _place(place)
    if await _REMOVE.maybe(on, host) is None:
        raise NotFound(
            f"{host} is not among the hosts that were added.",
            hint="`handfast runs hosts list` shows them. What Handfast ships cannot be removed; "
            "`handfast runs hosts add` puts another rule in its place.",
        )
    return host


def _place(text: str) -> str:
    """``host`` or ``host/folder`` in the one spelling."""
    url = canonical_url(text)
    if url.port is not None or url.query or url.path.count("/") > 1:
        raise InvalidRequest(
            f"{url} is more than a host and one folder of it.",
            hint="Name a host (startups.example), or a folder (gust.com/c).",
        )
    return f"{url.host}{url.path}"


def _own(host: str, segments: int) -> SharedHost:
    names = "/".join([host, *["NAME"] * segments]) if segments else f"NAME.{host}"
    return SharedHost(host, segments, names, "added here")
