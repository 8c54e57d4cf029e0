"""A small client for Handfast's own API. Every POST carries a key, so every call can be retried."""

import asyncio
from typing import Any, Self, TypeVar

import httpx2
import msgspec

from handfast.base.problems import read_problem
from handfast.edge.api.dead_letters import Discard, Discarded, Requeue, Requeued
from handfast.edge.api.gaps import Gaps, Repaired
from handfast.edge.api.health import Health, Readiness
from handfast.edge.api.jobs import JobChanged
from handfast.edge.api.schedules import Schedules
from handfast.edge.api.stats import StatsView
from handfast.edge.client.errors import CallRefused, CallUnanswered
from handfast.edge.client.policy import KEY_HEADER, HttpRetryPolicy
from handfast.edge.client.transport import RetryTransport
from handfast.edge.client.webhooks import WebhookCalls
from handfast.engine.gaps.listing import GapReport
from handfast.engine.gaps.repair import RepairReport
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.audit import AuditPage
from handfast.engine.operating.dead_letters import DeadFilter, DeadPage
from handfast.engine.operating.jobs_view import JobDetail, JobPage
from handfast.engine.schedules.store import ScheduleView

T = TypeVar("T")

DEFAULT_POLICY = HttpRetryPolicy(make_keys=True)


class Client:
    """``async with Client("http://127.0.0.1:8000", token=…) as client: await client.stats()``.

    ``token`` is sent as ``Authorization: Bearer``. An answer that is not 2xx becomes
    ``CallRefused``, no answer ``CallUnanswered``.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        policy: HttpRetryPolicy = DEFAULT_POLICY,
        transport: httpx2.AsyncBaseTransport | None = None,
        timeout: float = 5.0,
    ) -> None:
        self._policy = policy
        self.http = httpx2.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            transport=RetryTransport(transport, policy),
            timeout=timeout,
        )
        self.webhooks = WebhookCalls(self)

    async def close(self) -> None:
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
    ) -> httpx2.Response:
        """Any call of the API: ``body`` is sent as JSON, ``key`` as ``Idempotency-Key``.

        A POST or PATCH without ``key`` gets a new one, the same on each attempt. To make the call
        again later, after a crash for example, bring your own and keep it.
        """
        given = {name: value for name, value in (params or {}).items() if value is not None}
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if key is not None:
            headers[KEY_HEADER] = key
        try:
            # The transport's limit ends with the headers of the answer; this one with its body.
            async with asyncio.timeout(self._policy.total_seconds):
                answer = await self.http.request(
                    method,
                    path,
                    params=given,
                    content=None if body is None else msgspec.json.encode(body),
                    headers=headers,
                )
        except (httpx2.TransportError, TimeoutError) as error:
            raise CallUnanswered(
                f"{method} {path} got no answer from {self.http.base_url}: {error!r}.",
                hint="Check the address, and whether the server runs there.",
            ) from error
        if not answer.is_success:
            raise _refused(method, path, answer)
        return answer

    async def ask(self, method: str, path: str, answer: type[T], **more: Any) -> T:
        """``request``, with the answer read as that type."""
        response = await self.request(method, path, **more)
        try:
            return msgspec.json.decode(response.content, type=answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CallRefused(
                f"{method} {path} was answered with something else than {answer.__name__}: "
                f"{error}.",
                hint="Is there a Handfast of a fitting version at that address?",
                status=response.status_code,
            ) from error

    # --- operating ----------------------------------------------------------------------------

    async def health(self) -> Health:
        return await self.ask("GET", "/health", Health)

    async def ready(self) -> Readiness:
        return await self.ask("GET", "/ready", Readiness)

    async def stats(self) -> StatsView:
        return await self.ask("GET", "/admin/stats", StatsView)

    async def audit(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        subject: str | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> AuditPage:
        """What operators have changed; ``after`` is the ``next`` of the page before."""
        where = {"actor": actor, "action": action, "subject": subject}
        params = {**where, "after": after, "limit": limit}
        return await self.ask("GET", "/admin/audit", AuditPage, params=params)

    # --- jobs ---------------------------------------------------------------------------------

    async def jobs(
        self,
        *,
        kind: str | None = None,
        lane: str | None = None,
        state: JobState | None = None,
        key: str | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> JobPage:
        """One page; ``after`` is the ``next`` of the page before."""
        where = {"kind": kind, "lane": lane, "state": state, "key": key}
        where |= {"after": after, "limit": limit}  # type: ignore[dict-item]
        return await self.ask("GET", "/admin/jobs", JobPage, params=where)

    async def job(self, job_id: int) -> JobDetail:
        return await self.ask("GET", f"/admin/jobs/{job_id}", JobDetail)

    async def retry_job(self, job_id: int) -> JobChanged:
        return await self.ask("POST", f"/admin/jobs/{job_id}/retry", JobChanged)

    async def cancel_job(self, job_id: int, *, reason: str | None = None) -> JobChanged:
        path = f"/admin/jobs/{job_id}/cancel"
        return await self.ask("POST", path, JobChanged, params={"reason": reason})

    # --- dead letters -------------------------------------------------------------------------

    async def dead(
        self,
        where: DeadFilter | None = None,
        *,
        after: str | None = None,
        limit: int | None = None,
    ) -> DeadPage:
        wanted = msgspec.to_builtins(where) if where is not None else {}
        params = {**wanted, "after": after, "limit": limit}
        return await self.ask("GET", "/admin/dead", DeadPage, params=params)

    async def requeue_dead(
        self, ids: list[int] | None = None, *, where: DeadFilter | None = None
    ) -> int:
        """How many went back to ready: those of ``ids``, and all that match ``where``."""
        body = Requeue(ids or [], where)
        done = await self.ask("POST", "/admin/dead/requeue", Requeued, body=body)
        return done.requeued

    async def discard_dead(
        self, reason: str, ids: list[int] | None = None, *, where: DeadFilter | None = None
    ) -> int:
        body = Discard(reason, ids or [], where)
        done = await self.ask("POST", "/admin/dead/discard", Discarded, body=body)
        return done.discarded

    # --- schedules and gaps -------------------------------------------------------------------

    async def schedules(self) -> list[ScheduleView]:
        return (await self.ask("GET", "/admin/schedules", Schedules)).schedules

    async def gaps(self, name: str | None = None, *, limit: int | None = None) -> list[GapReport]:
        params = {"name": name, "limit": limit}
        return (await self.ask("GET", "/admin/gaps", Gaps, params=params)).expectations

    async def repair_gaps(self, name: str | None = None) -> list[RepairReport]:
        params = {"name": name}
        return (await self.ask("POST", "/admin/gaps/repair", Repaired, params=params)).expectations


def _refused(method: str, path: str, answer: httpx2.Response) -> CallRefused:
    problem = read_problem(answer.status_code, answer.content)
    said = problem.message or problem.detail or problem.title or answer.reason_phrase
    return CallRefused(
        f"{method} {path} was answered with {answer.status_code}: {said}",
        status=answer.status_code,
        code=problem.code,
        type=problem.type,
    )
