"""What a capability is: one value that says everything the rest of the house needs to know of it.

An app or a service that wants to be a part of the product has a ``capability.py`` with such a
value, and one line in ``wiring.CAPABILITIES``. Schemas, settings, kinds, schedules, routes, pages,
commands, alerts, hooks and the demo's scene are found through it and nowhere else, so what is
switched off leaves no trace, and adding one touches nobody else's files.

Heavy parts are import strings (``"package.module:name"``): reading this value imports no web
framework, no command line and no numerics.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from handfast.engine.errors import CapabilityUnknown


@dataclass(frozen=True)
class Command:
    """A command of ``handfast``: its name, where it is, and one line about it."""

    name: str
    where: str
    about: str


@dataclass(frozen=True)
class Page:
    """A page of the dashboard: its name, which is its address there, and what people read.
    ``for_viewers``: whether there is anything on it that viewers may see."""

    name: str
    title: str
    for_viewers: bool = True


@dataclass(frozen=True)
class EventType:
    """A kind of event that goes out: what it is called, and when it does."""

    name: str
    about: str


@dataclass(frozen=True)
class Fact:
    """Something that others may have to act on in the same transaction, such as
    ``user.suspended``, and the names of what it tells."""

    name: str
    tells: tuple[str, ...]


@dataclass(frozen=True)
class Hook:
    """What a capability does when somebody states a fact: ``async def call(tx, *, …)``."""

    fact: str
    call: str


@dataclass(frozen=True)
class Capability:
    name: str
    about: str
    requires: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    settings: str | None = None  # a class of ``base.settings.Section``
    errors: str | None = None  # a module that holds nothing but errors
    kept_file: str | None = None  # its name in the data folder; no dump of the database has it
    beside: str | None = None  # (system) -> an async context manager, open as long as the system
    work: str | None = None  # (system, wanted) -> an async context manager of crews
    lanes: tuple[str, ...] = ()  # that ``work`` brings crews for
    chores: str | None = None  # (database) -> a sequence of chores, for who has no crew
    expectations: str | None = None  # () -> what must exist, whatever program runs
    alerts: str | None = None  # a sequence of rules
    metrics: str | None = None  # a module: imported where metrics and alerts are read
    events: tuple[EventType, ...] = ()
    facts: tuple[Fact, ...] = ()
    hooks: tuple[Hook, ...] = ()
    routes: str | None = None  # a router whose handlers have policies
    pages: tuple[Page, ...] = ()  # of the dashboard, in the order in which they are listed
    shared: str | None = None  # (system, host) -> what its routes share; closed with the API
    authenticator: str | None = None  # (system, what it shares) -> who knows callers by tokens
    describe_user: str | None = None  # async (tx, user_id) -> a struct, or None: what users see
    describe_matches: str | None = None  # async (on, user, matches) -> more fields of each
    evidence: str | None = None  # async (on, user, messages, match) -> what a report takes along
    commands: tuple[Command, ...] = ()
    facade: str | None = None  # a class, made with the database: what a program holds
    checks: str | None = None  # (system) -> what doctor finds out about it
    scene: str | None = None  # of the demo
    traffic: str | None = None  # async (stage): what the demo goes on doing, without an end
    shows_people: str | None = None  # (on, viewer, user) -> whether the one is shown to the other
    personal_data: str | None = None  # (on, user) -> what it keeps about a user, for their copy
    about_job: str | None = None  # async (on, job) -> what the job is to it: JobConnections
    about_events: str | None = None  # async (on, events, limit) -> who is sent them


@dataclass(frozen=True)
class Capabilities:
    """Those that are switched on, each after what it requires: one fixed order, in which schemas
    are made, hooks are called and locks are taken."""

    on: tuple[Capability, ...]
    known: tuple[Capability, ...] = field(repr=False)

    def __contains__(self, name: str) -> bool:
        return any(one.name == name for one in self.on)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.on)

    @property
    def schemas(self) -> tuple[str, ...]:
        return tuple(schema for one in self.on for schema in one.schemas)


def switched_on(known: Sequence[Capability], names: Iterable[str] | None) -> Capabilities:
    """The capabilities of these names with all that they require; all that are known for None."""
    by_name = {one.name: one for one in known}
    wanted: set[str] = set()
    left = list(by_name if names is None else names)
    while left:
        name = left.pop()
        if name not in by_name:
            raise CapabilityUnknown(
                f"There is no capability {name!r}.",
                hint=f"There are: {', '.join(by_name)}. They are named in HANDFAST_CAPABILITIES "
                "or in Handfast(capabilities=[…]).",
            )
        if name not in wanted:
            wanted.add(name)
            left += by_name[name].requires
    return Capabilities(tuple(one for one in known if one.name in wanted), tuple(known))


def names_in(setting: str) -> list[str]:
    """As ``HANDFAST_CAPABILITIES`` has them; ``none`` is nothing but the engine."""
    names = (name.strip() for name in setting.split(","))
    return [name for name in names if name not in ("", "none")]


def found(where: str) -> Any:
    """What an import string names."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def each(on: Iterable[Capability], part: str) -> Mapping[str, Any]:
    """One part of every capability that has it, imported, by the capability's name."""
    return {one.name: found(where) for one in on if (where := getattr(one, part)) is not None}
