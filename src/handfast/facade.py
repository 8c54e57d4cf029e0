"""``Handfast``: what a team that brings its own work holds in its hand."""

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, overload
from uuid import UUID

import asyncpg
import msgspec

from handfast.base.errors import EngineError
from handfast.base.logs import log_through_the_host
from handfast.db.pool import Database, Isolation
from handfast.db.transaction import Transaction, joined
from handfast.engine.capability import each, names_in
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.errors import CapabilityOff, JobInvalid, KindInvalid
from handfast.engine.events import NewEvent, emit, emit_many
from handfast.engine.gaps.expectation import Expectation, Expectations
from handfast.engine.gaps.listing import GapReport, list_gaps
from handfast.engine.gaps.repair import RepairReport, repair_gaps
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.enqueue import Enqueued, enqueue, enqueue_many
from handfast.engine.jobs.kinds import (
    TIMEOUT_SECONDS,
    Kind,
    Kinds,
    Upgrade,
    check_types,
    payload_of,
)
from handfast.engine.jobs.options import NO_OPTIONS, Options
from handfast.engine.jobs.retry import Retry, RetryPolicy
from handfast.engine.jobs.states import JobState
from handfast.engine.maintenance.chores import Chore
from handfast.engine.maintenance.gap_repair import gap_repair
from handfast.engine.operating import dead_letters, jobs_view, operations
from handfast.engine.operating.alerts import alerting, rules_of
from handfast.engine.schedules.catch_up import CatchUp
from handfast.engine.schedules.declared import (
    DeclaredSchedules,
    Key,
    Payload,
    Schedule,
    Zones,
    cron_spec,
    daily_spec,
    kind_of,
)
from handfast.engine.system import System

# What is imported here, every program pays for. Capabilities, settings and what opens a database
# are imported when they are used.
if TYPE_CHECKING:
    from handfast.apps.fixtures.facade import Fixtures
    from handfast.apps.fixtures.pipelines.pipeline import Pipeline
    from handfast.apps.runs.facade import MatchRuns
    from handfast.apps.stakes.facade import Stakes
    from handfast.base.settings import Settings
    from handfast.services.ledger.facade import Ledger

_UNSAID = (None,) * 6

Handler = TypeVar("Handler", bound=Callable[..., Any])
P = ParamSpec("P")  # what a handler takes after the context: the payload
AnyTransaction = Transaction | asyncpg.Connection | asyncpg.pool.PoolConnectionProxy


class Handfast:
    """Declare jobs, enqueue them in your own transactions, and work on them.

    Opens its database on first use: the one that ``DATABASE_URL`` names, or the embedded one.
    """

    def __init__(
        self,
        settings: "Settings | None" = None,
        *,
        capabilities: Iterable[str] | None = None,
        **overrides: Any,
    ) -> None:
        """``capabilities`` are switched on beside the engine, by name, with what they require:
        ``["webhooks"]``. Without it those of ``HANDFAST_CAPABILITIES``, or none."""
        self._settings = settings
        self._chosen = None if capabilities is None else tuple(capabilities)
        self._overrides = overrides
        self.kinds = Kinds()
        self.schedules = DeclaredSchedules()
        self.groups: dict[str, int] = {}
        self.expectations = Expectations()
        self.declared: dict[str, list[Any]] = {}  # for capabilities, by their names
        self._stack: AsyncExitStack | None = None
        self._system: System | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None  # of the system that we opened

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What this program switches on by itself, beside what the environment names."""
        return self._chosen or ()

    # --- declaring ----------------------------------------------------------------------------

    def job(
        self,
        kind: str,
        *,
        retry: RetryPolicy = Retry.default,
        lane: str = "default",
        priority: int = 10,
        timeout: float | None = TIMEOUT_SECONDS,
        version: int = 1,
        upgrade: Upgrade | None = None,
        group: str | None = None,
        skip_when_prerequisite_dies: bool = False,
        horizon: timedelta | None = None,
        durable_claim: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Declare a handler: ``async def handler(ctx: Context, …) -> result``.

        Its arguments after the context are the payload. A plain ``def`` runs in a thread. With
        ``durable_claim`` an attempt begins only when its claim is on the disk: also a crash of
        PostgreSQL in its first second leaves no two attempts side by side.
        """

        def declare(handler: Handler) -> Handler:
            self.kinds.add(
                Kind(
                    name=kind,
                    handler=handler,
                    payload=payload_of(handler),
                    lane=lane,
                    priority=priority,
                    retry=retry,
                    timeout=timeout,
                    version=version,
                    upgrade=upgrade,
                    group=group,
                    skip_when_prerequisite_dies=skip_when_prerequisite_dies,
                    horizon=horizon,
                    durable_claim=durable_claim,
                    is_async=inspect.iscoroutinefunction(handler),
                )
            )
            return handler

        return declare

    def batch_job(
        self,
        kind: str,
        *,
        payload: type[msgspec.Struct],
        size: int = 100,
        retry: RetryPolicy = Retry.default,
        lane: str = "default",
        priority: int = 10,
        timeout: float | None = TIMEOUT_SECONDS,
        version: int = 1,
        upgrade: Upgrade | None = None,
        group: str | None = None,
        skip_when_prerequisite_dies: bool = False,
        horizon: timedelta | None = None,
        durable_claim: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare a handler of many: ``async def handler(batch: Batch) -> None``.

        It gets up to ``size`` jobs. It says what came of each, or ends them in a transaction of its
        own: ``async with batch.completing() as tx``. If it raises, its jobs run again singly.
        """

        def declare(handler: Callable[..., Any]) -> Callable[..., Any]:
            if not inspect.iscoroutinefunction(handler):
                raise KindInvalid(f"A batch handler is an async function; {kind}'s is not.")
            if not hasattr(payload, "__struct_fields__"):
                raise KindInvalid(
                    f"The payload of {kind} is {payload!r}, not a msgspec.Struct.",
                    hint="Its fields may be Pydantic models: class Mail(msgspec.Struct): to: User",
                )
            check_types(kind, payload)
            self.kinds.add(
                Kind(
                    name=kind,
                    handler=handler,
                    payload=payload,
                    lane=lane,
                    priority=priority,
                    retry=retry,
                    timeout=timeout,
                    version=version,
                    upgrade=upgrade,
                    group=group,
                    skip_when_prerequisite_dies=skip_when_prerequisite_dies,
                    horizon=horizon,
                    durable_claim=durable_claim,
                    batch=size,
                )
            )
            return handler

        return declare

    def group(self, name: str, *, max_running: int) -> str:
        """At most ``max_running`` jobs of this group run at once, on all workers together."""
        if max_running < 1:
            raise KindInvalid(f"The group {name!r} would never run anything.")
        self.groups[name] = max_running
        return name

    def cron(
        self,
        name: str,
        job: str | Callable[..., Any],
        cron: str,
        *,
        zone: str = "UTC",
        catch_up: CatchUp = CatchUp.latest,
        payload: Payload | None = None,
        key: Key | None = None,
    ) -> Schedule:
        """A job at every tick of a cron expression: ``hf.cron("reports", report, "0 * * * *")``.

        The expression is read in local times of ``zone``: one that does not exist means the first
        instant after the gap, one that exists twice counts once. ``payload`` is a dict or a
        function of the tick; without it, a handler that takes ``at``, ``zone`` or ``day`` gets
        the tick's. ``key`` is a function of the tick; by default the name and the instant.
        """
        kind = kind_of(self.kinds, job)
        spec = cron_spec(cron, zone, catch_up)
        return self.schedules.add(Schedule(name, kind, spec, payload, key))

    def daily(
        self,
        name: str,
        job: str | Callable[..., Any],
        *,
        at: time,
        zones: Zones,
        catch_up: CatchUp = CatchUp.latest,
        payload: Payload | None = None,
        key: Key | None = None,
    ) -> Schedule:
        """A job for every zone and local date, at a local time: ``at=time(9)``.

        ``zones`` is a list of names, a query whose first column is a name, or an async function
        that takes a connection. ``payload`` and ``key`` as for ``cron``; by default the key is the
        name, the local date and the zone.
        """
        kind = kind_of(self.kinds, job)
        spec, zones_of = daily_spec(at, zones, catch_up)
        return self.schedules.add(Schedule(name, kind, spec, payload, key, zones_of))

    def expect(
        self,
        name: str,
        *,
        kind: str | Callable[..., Any],
        sql: str,
        window: timedelta = timedelta(0),
        past: timedelta = timedelta(0),
        after: Sequence[str] = (),
    ) -> None:
        """Declare what must exist: jobs of ``kind``, from ``past`` before now to ``window`` ahead.

        ``sql`` answers the identities of the window from ``$1`` until before ``$2``: ``key``,
        ``payload``, ``due_at`` and ``result_exists`` (see ``engine.gaps`` for what else it may
        say). What is missing is repaired when a worker starts and every hour; ``after`` names the
        expectations whose jobs these wait for, which are repaired first.
        """
        self.expectations.add(Expectation(name, self._name(kind), sql, window, past, tuple(after)))

    def pipeline(self, pipeline: "Pipeline") -> "Pipeline":
        """Declare what is to happen around kickoffs (see ``apps.fixtures.pipelines``).

        The kinds of its steps are jobs of this program, which take the fixture's id:
        ``async def remind(ctx: Context, fixture: int) -> None``. What lacks is a gap.
        """
        from handfast.apps.fixtures.pipelines.declaring import declare_in  # noqa: PLC0415

        self._require("fixtures")
        declare_in(pipeline, self.declared.setdefault("fixtures", []), self.expectations)
        return pipeline

    def pipelines_from(self, file: str | Path) -> "list[Pipeline]":
        """Declare the pipelines of a TOML file: ``[[pipeline.NAME.step]]``."""
        from handfast.apps.fixtures.pipelines.toml_files import read_pipelines  # noqa: PLC0415

        self._require("fixtures")
        return [self.pipeline(pipeline) for pipeline in read_pipelines(Path(file))]

    # --- opening and closing ------------------------------------------------------------------

    async def open(self) -> System:
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            self._leave_the_loop()
        if self._system is not None:
            return self._system
        async with self._opening:
            if self._system is None:
                self._loop = loop
                log_through_the_host()
                from handfast import wiring  # noqa: PLC0415

                on = wiring.chosen(None, self._named_in(self._settings))
                settings = self._settings or wiring.load_settings(on, **self._overrides)
                self._stack = AsyncExitStack()
                self._system = await self._stack.enter_async_context(
                    wiring.open_system(settings, capabilities=on)
                )
            return self._system

    def _leave_the_loop(self) -> None:
        """A second ``asyncio.run``: what was opened ended with the loop of the first."""
        if self._loop is not None and not self._loop.is_closed():
            raise EngineError(
                "This Handfast was opened in another event loop, which still runs. Its connections "
                "belong to that loop.",
                hint="Make a Handfast for each event loop, or pass the work to the loop that "
                "opened this one: asyncio.run_coroutine_threadsafe(…).",
            )
        self._stack = self._system = self._loop = None
        self._opening = asyncio.Lock()

    def use(self, system: System) -> None:
        """Work on a system that somebody else opened, and will close."""
        self._system, self._loop = system, None

    async def close(self) -> None:
        stack, self._stack, self._system, self._loop = self._stack, None, None, None
        if stack is not None:
            await stack.aclose()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def database(self) -> Database:
        return (await self.open()).database

    @asynccontextmanager
    async def transaction(
        self, isolation: Isolation = "read_committed"
    ) -> AsyncIterator[Transaction]:
        """Your rows and your jobs commit together, at the end of the block."""
        async with (await self.database()).transaction(isolation) as tx:
            yield tx

    # --- enqueueing ---------------------------------------------------------------------------

    # With a handler, a type checker compares the payload with the handler's own arguments. It can
    # do so only if the options come before *args; at run time they are keywords as ever.
    @overload
    async def enqueue(
        self,
        tx: AnyTransaction,
        kind: str,
        *,
        key: str,
        due: datetime | None = None,
        delay: timedelta | None = None,
        lane: str | None = None,
        priority: int | None = None,
        deadline: datetime | None = None,
        group: str | None = None,
        anchor: str | None = None,
        offset: timedelta | None = None,
        requires: Sequence[tuple[str | Callable[..., Any], str]] = (),
        **payload: Any,
    ) -> Enqueued: ...

    @overload
    async def enqueue(
        self,
        tx: AnyTransaction,
        kind: Callable[Concatenate[Any, P], Any],
        key: str,
        due: datetime | None = None,
        delay: timedelta | None = None,
        lane: str | None = None,
        priority: int | None = None,
        deadline: datetime | None = None,
        group: str | None = None,
        anchor: str | None = None,
        offset: timedelta | None = None,
        requires: Sequence[tuple[str | Callable[..., Any], str]] = (),
        *args: P.args,
        **payload: P.kwargs,
    ) -> Enqueued: ...

    async def enqueue(  # type: ignore[misc]
        self,
        tx: AnyTransaction,
        kind: str | Callable[..., Any],
        *,
        key: str,
        due: datetime | None = None,
        delay: timedelta | None = None,
        lane: str | None = None,
        priority: int | None = None,
        deadline: datetime | None = None,
        group: str | None = None,
        anchor: str | None = None,
        offset: timedelta | None = None,
        requires: Sequence[tuple[str | Callable[..., Any], str]] = (),
        **payload: Any,
    ) -> Enqueued:
        """One job, in the caller's transaction: it exists if and when the transaction commits.

        An identity ``(kind, key)`` is unique for ever; enqueueing it again answers the first job.
        ``requires`` names jobs that must succeed first; ``anchor`` and ``offset`` hang the job on a
        moment that may move.
        """
        options = NO_OPTIONS
        if requires or (lane, priority, deadline, group, anchor, offset) != _UNSAID:
            options = Options(
                lane=lane,
                priority=priority,
                deadline=deadline,
                group=group,
                anchor=anchor,
                offset=_offset(anchor, offset, due, delay),
                requires=tuple((self._name(kind), key) for kind, key in requires),
            )
        return await enqueue(
            _transaction(tx),
            self._kind(kind),
            key,
            payload,
            due=due,
            delay=delay,
            options=options,
        )

    @overload
    async def enqueue_now(
        self,
        kind: str,
        *,
        key: str,
        due: datetime | None = None,
        delay: timedelta | None = None,
        lane: str | None = None,
        priority: int | None = None,
        deadline: datetime | None = None,
        group: str | None = None,
        anchor: str | None = None,
        offset: timedelta | None = None,
        requires: Sequence[tuple[str | Callable[..., Any], str]] = (),
        **payload: Any,
    ) -> Enqueued: ...

    @overload
    async def enqueue_now(
        self,
        kind: Callable[Concatenate[Any, P], Any],
        key: str,
        due: datetime | None = None,
        delay: timedelta | None = None,
        lane: str | None = None,
        priority: int | None = None,
        deadline: datetime | None = None,
        group: str | None = None,
        anchor: str | None = None,
        offset: timedelta | None = None,
        requires: Sequence[tuple[str | Callable[..., Any], str]] = (),
        *args: P.args,
        **payload: P.kwargs,
    ) -> Enqueued: ...

    async def enqueue_now(  # type: ignore[misc]
        self, kind: Any, *, key: str, **options_and_payload: Any
    ) -> Enqueued:
        """One job in a transaction of its own: for callers that have nothing to commit with it.

        Takes what ``enqueue`` takes, and saves two round trips.
        """
        system = await self.open()
        async with system.database.connection() as connection:
            tx = Transaction(connection, ours=True)
            made = await self.enqueue(tx, kind, key=key, **options_and_payload)
        system.database.committed(tx)
        return made

    async def enqueue_many(
        self,
        tx: AnyTransaction,
        kind: str | Callable[..., Any],
        jobs: Sequence[tuple[str, Mapping[str, Any]]],
        *,
        due: datetime | Sequence[datetime] | None = None,
        lane: str | None = None,
        priority: int | None = None,
    ) -> list[Enqueued]:
        """Many jobs of one kind in one statement: ``[(key, payload), …]``, 100,000 if you like."""
        options = Options(lane=lane, priority=priority)
        return await enqueue_many(
            _transaction(tx), self._kind(kind), jobs, due=due, options=options
        )

    async def emit(
        self,
        tx: AnyTransaction,
        event: str,
        aggregate: str,
        data: Mapping[str, Any],
        *,
        users: Iterable[UUID] = (),
    ) -> str:
        """An event, written in the caller's transaction; it goes out if that commits. ``users`` are
        those whose streams it goes on."""
        return await emit(_transaction(tx), event, aggregate, data, users=users)

    async def emit_many(self, tx: AnyTransaction, events: Sequence[NewEvent]) -> list[str]:
        """Many events in one statement, best the last one of the transaction."""
        return await emit_many(_transaction(tx), events)

    # --- looking after jobs -------------------------------------------------------------------

    async def find(self, kind: str | Callable[..., Any], key: str) -> jobs_view.JobDetail | None:
        """A job with its attempts, progress, prerequisites and result; None if there is none."""
        async with (await self.database()).connection() as connection:
            return await jobs_view.find_job(connection, self._name(kind), key)

    async def cancel(
        self,
        tx: AnyTransaction,
        kind: str | Callable[..., Any],
        key: str,
        *,
        reason: str = "cancelled by the program",
    ) -> JobState:
        """A waiting job is cancelled; a running one is told to stop, and the answer is
        ``running`` until it has."""
        own = _transaction(tx)
        return await operations.cancel(own, await self._id(own, kind, key), reason)

    async def retry(self, tx: AnyTransaction, kind: str | Callable[..., Any], key: str) -> JobState:
        """Now: a dead letter is requeued, a scheduled job does not wait for its time."""
        own = _transaction(tx)
        return await operations.retry(own, await self._id(own, kind, key))

    async def revive(
        self,
        tx: AnyTransaction,
        kind: str | Callable[..., Any],
        key: str,
        *,
        due: datetime | None = None,
        payload: Mapping[str, Any] | None = None,
    ) -> bool:
        """A job that succeeded, was cancelled or was skipped runs again under its own identity.

        False when it had not ended so. The payload is needed only when its history was dropped.
        """
        own, known = _transaction(tx), self._kind(kind)
        if payload is not None and isinstance(known, Kind):
            known.encode(payload)
        job_id = await self._id(own, kind, key)
        return await operations.revive(own, job_id, due=due, payload=payload)

    async def requeue(
        self, tx: AnyTransaction, kind: str | Callable[..., Any], keys: Sequence[str]
    ) -> list[int]:
        """Dead letters go back to ready; answers the ids of those that were dead."""
        own = _transaction(tx)
        ids = [await self._id(own, kind, key) for key in keys]
        return await dead_letters.requeue(own, ids)

    async def discard(
        self,
        tx: AnyTransaction,
        kind: str | Callable[..., Any],
        keys: Sequence[str],
        *,
        reason: str,
    ) -> list[int]:
        """Dead letters that nobody will requeue leave the list, with the reason."""
        own = _transaction(tx)
        ids = [await self._id(own, kind, key) for key in keys]
        return await dead_letters.discard(own, ids, reason)

    async def set_anchor(self, tx: AnyTransaction, name: str, at: datetime) -> int:
        """Place an anchor, or move it with every waiting job on it; answers how many moved."""
        return await operations.set_anchor(_transaction(tx), name, at)

    async def cancel_anchor(
        self, tx: AnyTransaction, name: str, *, reason: str = "its anchor was cancelled"
    ) -> int:
        """The moment will not come: waiting jobs on it are cancelled; setting it revives them."""
        return await operations.cancel_anchor(_transaction(tx), name, reason)

    async def gaps(self, name: str | None = None, *, limit: int = 100) -> list[GapReport]:
        """What is expected and does not exist."""
        return await list_gaps(await self.database(), self.expectations, name=name, limit=limit)

    async def repair_gaps(self, name: str | None = None) -> list[RepairReport]:
        """Repair now what the hourly repair would."""
        return await repair_gaps(await self.database(), self.expectations, self.kinds, name=name)

    # --- working ------------------------------------------------------------------------------

    async def worker(
        self, options: WorkerOptions | None = None, host: HostOptions | None = None
    ) -> Host:
        """Works on the kinds declared so far: ``await worker.run()``, until stopped.

        With pipelines it catches up first, and plans every hour, as `handfast worker` does.
        """
        system = await self.open()
        crew = replace(await self.crew(options), schedules=DeclaredSchedules())
        return Host(system.database, system.direct, [crew], host)

    async def crew(self, options: WorkerOptions | None = None) -> Crew:
        """What this program brings to a process: its kinds, groups, schedules and chores."""
        system = await self.open()
        if pipelines := self.declared.get("fixtures"):
            from handfast.apps.fixtures.pipelines.crew import begin  # noqa: PLC0415

            await begin(system.database, self.kinds, pipelines)
        return Crew(
            self.kinds,
            options or WorkerOptions(lanes=self.lanes),
            self.groups,
            self.schedules,
            self._chores(system),
        )

    def _chores(self, system: System) -> list[Chore]:
        database = system.database
        chores = [alerting(database, rules_of(system.capabilities))]
        if self.expectations:
            chores.append(gap_repair(database, self.expectations, self.kinds))
        if self.declared.get("fixtures"):
            from handfast.apps.fixtures.pipelines.crew import planning_chore  # noqa: PLC0415

            chores.append(planning_chore(database))
        return chores

    async def scheduler(self) -> Host:
        """Fires the schedules declared so far: ``await scheduler.run()``, until stopped."""
        system = await self.open()
        crew = Crew(self.kinds, WorkerOptions(lanes=()), schedules=self.schedules)
        return Host(system.database, system.direct, [crew])

    async def deliverer(self) -> Host:
        """Delivers webhooks: ``await deliverer.run()``. `up` and `worker` bring their own."""
        from handfast.services.webhooks.sending.deliverer import crew_of  # noqa: PLC0415

        self._require("webhooks")
        system = await self.open()
        return Host(system.database, system.direct, [crew_of(system)])

    async def match_runs(self) -> "MatchRuns":
        """Match runs: start one, read it and its matches. `up` and `worker` work on them."""
        from handfast.apps.runs.facade import MatchRuns  # noqa: PLC0415

        self._require("runs")
        return MatchRuns(await self.database())

    async def fixtures(self) -> "Fixtures":
        """Fixtures: bring your own, look at them. `up` and `worker` work on the built-in steps."""
        from handfast.apps.fixtures.facade import Fixtures  # noqa: PLC0415

        self._require("fixtures")
        return Fixtures(await self.database())

    async def ledger(self) -> "Ledger":
        """Money: transfers, balances, statements; of the platform's accounts those in the currency
        of the settings. Close it when you are done."""
        from handfast.services.ledger.facade import Ledger  # noqa: PLC0415
        from handfast.services.ledger.settings import LedgerSettings  # noqa: PLC0415

        self._require("ledger")
        system = await self.open()
        return Ledger(await self.database(), system.settings.of(LedgerSettings).currency)

    async def stakes(self) -> "Stakes":
        """The staked queue, on the terms of the settings. `up` and `worker` pair. Close it when you
        are done."""
        from handfast.apps.stakes.facade import Stakes  # noqa: PLC0415
        from handfast.apps.stakes.terms import terms_of  # noqa: PLC0415

        self._require("stakes")
        system = await self.open()
        return Stakes(await self.database(), terms_of(system.settings))

    def _require(self, capability: str) -> None:
        """It is used: it must be switched on."""
        from handfast import wiring  # noqa: PLC0415

        if self._system is not None:
            on = self._system.capabilities
        else:
            on = wiring.chosen(None, self._named_in(self._settings))
        if capability not in on:
            raise CapabilityOff(
                f"{capability!r} is not switched on in this program.",
                hint=f"Switch it on: Handfast(capabilities=[{capability!r}]), or "
                f"HANDFAST_CAPABILITIES={capability}.",
            )

    def _named_in(self, settings: "Settings | None") -> Iterable[str]:
        """Its own choice, else what the environment names, else nothing but the engine."""
        if self._chosen is not None:
            return self._chosen
        named = settings.capabilities if settings else os.environ.get("HANDFAST_CAPABILITIES")
        return names_in(named or "")

    def expected_in(self, system: System) -> Expectations:
        """What this program expects, and what the capabilities of the system do."""
        of_capabilities = each(system.capabilities.on, "expectations").values()
        return self.expectations.with_these(one for make in of_capabilities for one in make())

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes of the kinds declared so far, and the default one."""
        return tuple(sorted({kind.lane for kind in self.kinds} | {"default"}))

    async def _id(self, tx: Transaction, kind: str | Callable[..., Any], key: str) -> int:
        return await jobs_view.id_of(tx, self._name(kind), key)

    def _kind(self, kind: str | Callable[..., Any]) -> Kind | str:
        found = self.kinds.of(kind)
        return found if found is not None else str(kind)

    def _name(self, kind: str | Callable[..., Any]) -> str:
        found = self._kind(kind)
        return found.name if isinstance(found, Kind) else found


def _transaction(tx: AnyTransaction) -> Transaction:
    if isinstance(tx, Transaction):
        return tx
    if isinstance(tx, asyncpg.Connection | asyncpg.pool.PoolConnectionProxy):
        return joined(tx)
    given = "None" if tx is None else f"{type(tx).__module__}.{type(tx).__qualname__}"
    raise JobInvalid(f"The transaction is {given}, which cannot be joined.", hint=_instead_of(tx))


def _instead_of(tx: object) -> str:
    """What somebody does who holds this."""
    library = type(tx).__module__.partition(".")[0]
    if tx is None:
        return (
            "Open one: async with hf.transaction() as tx: …; or, with nothing to commit together, "
            "use hf.enqueue_now(…)."
        )
    if library == "sqlalchemy":
        return (
            "Of an AsyncSession or AsyncConnection on asyncpg, pass the driver's own connection: "
            "(await (await session.connection()).get_raw_connection()).driver_connection. On any "
            "other driver, call the SQL function in the session: SELECT * FROM "
            "handfast_engine.enqueue(:kind, :key, :payload)."
        )
    if library in ("psycopg", "psycopg2"):
        return (
            "Call the SQL function on that connection, in its transaction: SELECT * FROM "
            "handfast_engine.enqueue(%s, %s, %s), with kind, key and the payload as jsonb."
        )
    return (
        "Pass what `async with hf.transaction() as tx` gives, or an asyncpg connection with an "
        "open transaction. From anything else, call the SQL function"
        " handfast_engine.enqueue(kind, key, "
        "payload)."
    )


def _offset(
    anchor: str | None,
    offset: timedelta | None,
    due: datetime | None,
    delay: timedelta | None,
) -> timedelta | None:
    if anchor is None:
        if offset is not None:
            raise JobInvalid("An offset needs an anchor to count from.")
        return None
    if due is not None or delay is not None:
        raise JobInvalid("A job hangs on an anchor or has a due time, not both.")
    return offset if offset is not None else timedelta(0)
