"""The middleware: pure ASGI, for any application.

    app = IdempotencyMiddleware(
        app,
        PostgresStore(database),
        principal=who_is_asking,
        rules=[required("POST /stakes"), ignored("POST /auth/logout")],
    )

Put it inside what authenticates and limits rates. ``principal`` and ``authorize`` are asked for
every request with a key before anything is looked up, so a replay goes only to who may have it.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

from handfast.base.errors import HandfastError, NotAuthenticated, SettingsError
from handfast.base.problems import RETRY_AFTER_SECONDS, Send, send_error
from handfast.services.idempotency import metrics
from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.asgi.bodies import (
    BODIES_MAX,
    BODY_MAX,
    Bodies,
    Receive,
    replayed_body,
)
from handfast.services.idempotency.asgi.execution import EXECUTION, Execution, Unkeyed
from handfast.services.idempotency.asgi.held_response import HeldResponse
from handfast.services.idempotency.asgi.in_flight import InFlight, InFlightRequest
from handfast.services.idempotency.asgi.principals import by_body
from handfast.services.idempotency.asgi.rules import ELSEWHERE, KeyRule, Need, Rules
from handfast.services.idempotency.errors import (
    IdempotencyInProgress,
    IdempotencyKeyMissing,
    IdempotencyKeyReused,
    IdempotencyResponseNotKept,
)
from handfast.services.idempotency.fingerprint import fingerprint, scope_of
from handfast.services.idempotency.keys import read_key, sent_keys
from handfast.services.idempotency.stores.store import Call, ClaimAnswer, ClaimOutcome, Store

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Principal = Callable[[Scope], str | Awaitable[str | None] | None]
Authorize = Callable[[Scope, str], Awaitable[None]]

WAIT_SECONDS = 5.0  # how long a duplicate waits for the first one's response
LOOK_SECONDS = 0.02  # how soon a waiter looks again, when the first is in another process …
LOOK_SECONDS_MAX = 0.25  # … doubled each time up to this


class IdempotencyMiddleware:
    def __init__(
        self,
        app: App,
        store: Store,
        *,
        principal: Principal,
        rules: Sequence[KeyRule] = (),
        default: KeyRule = ELSEWHERE,
        authorize: Authorize | None = None,
        wait: float = WAIT_SECONDS,
        body_max: int = BODY_MAX,
        bodies_max: int = BODIES_MAX,
    ) -> None:
        """``body_max`` bytes of one request, ``bodies_max`` of all that are under way: they are
        read whole before the application sees them."""
        self._app = app
        self._store = store
        self._principal = principal
        self._authorize = authorize
        self._rules = Rules(rules, default)
        self._wait = wait
        self._body_max = body_max
        self._bodies = Bodies(bodies_max)
        self._unkeyed = Unkeyed(store)
        self._flights = InFlight()
        if self._rules.encrypted and not store.can_seal:
            raise SettingsError(
                f"Responses of {', '.join(self._rules.encrypted)} are to be kept encrypted, and "
                "the store has no secret to do it with.",
                hint="Give it one: PostgresStore(database, seal=Encryption(secret)); for our "
                "own API it is HANDFAST_IDEMPOTENCY_SECRET.",
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or EXECUTION in scope:
            await self._app(scope, receive, send)
            return
        rule = self._rules.of(scope["method"], scope["path"])
        sent = sent_keys(scope["headers"])
        if rule.need is Need.IGNORED or (rule.need is Need.OPTIONAL and not sent):
            scope[EXECUTION] = self._unkeyed
            await self._app(scope, receive, send)
            return
        try:
            # Who is asking comes first: a stranger learns nothing, and makes us read nothing.
            principal = await self._asked_by(scope)
            key = read_key(sent)
            if key is None:
                raise IdempotencyKeyMissing(
                    f"{scope['method']} {scope['path']} needs the header Idempotency-Key.",
                    hint="Send a new random UUID (version 4) for each operation, and the same one "
                    "when you repeat it.",
                )
            held = self._bodies.one(self._body_max if rule.body_max is None else rule.body_max)
            try:
                body = await held.read(scope, receive)
                if body is None:
                    return  # the caller went away in the middle of its request: nothing was done
                if rule.body_principal is not None and (found := rule.body_principal(scope, body)):
                    principal = by_body(found)
                call = Call(
                    scope_of(principal),
                    key,
                    fingerprint(scope, body),
                    rule.ttl,
                    rule.encrypted,
                    rule.kept,
                )
                await self._answer(call, scope, replayed_body(body, receive), send)
            finally:
                held.let_go()
        except HandfastError as error:
            metrics.REQUESTS.labels("refused").inc()
            await send_error(send, error)

    async def _asked_by(self, scope: Scope) -> str:
        found = self._principal(scope)
        principal = found if found is None or isinstance(found, str) else await found
        if principal is None:
            raise NotAuthenticated(
                "A request with an idempotency key must say who is asking.",
                hint="Authenticate, as this API demands it elsewhere.",
            )
        if self._authorize is not None:
            await self._authorize(scope, principal)
        return principal

    async def _answer(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry the request out, or wait for whoever does; one in this process asks the store."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._wait
        name = call.name
        while (flight := self._flights.of(name)) is not None:
            with metrics.WAITING.track_inprogress():
                ended, answer = await flight.wait(max(0.0, deadline - clock()))
            if answer is not None:
                await self._replay(call, answer, "process", send)
                return
            if not ended:
                raise _in_progress()
        flight = self._flights.lead(name)
        try:
            claimed = await self._claim(call, deadline)
            if claimed.outcome is ClaimOutcome.EXECUTE:
                await self._execute(call, claimed, flight, scope=scope, receive=receive, send=send)
            elif claimed.answer is not None:
                self._flights.land(flight, claimed.answer)
                await self._replay(call, claimed.answer, claimed.source, send)
        finally:
            self._flights.land(flight, None)

    async def _claim(self, call: Call, deadline: float) -> ClaimAnswer:
        """Ask until there is an answer or the time is up; between two looks no connection is
        held."""
        clock = asyncio.get_running_loop().time
        pause = LOOK_SECONDS
        while True:
            claimed = await self._store.claim(call)
            if claimed.outcome is ClaimOutcome.CONFLICT:
                metrics.KEY_REUSE_CONFLICT.inc()
                raise IdempotencyKeyReused(
                    "This idempotency key belongs to another request: another method, address, "
                    "query or body.",
                    hint="Use a new key for each operation. Sending this again will not help.",
                )
            if claimed.outcome is not ClaimOutcome.IN_FLIGHT:
                return claimed
            left = deadline - clock()
            if left <= 0:
                raise _in_progress()
            with metrics.WAITING.track_inprogress():
                await self._store.news(call, min(pause, left))
            pause = min(pause * 2, LOOK_SECONDS_MAX)

    async def _execute(
        self,
        call: Call,
        claimed: ClaimAnswer,
        flight: InFlightRequest,
        *,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        metrics.EXECUTED.inc()
        if claimed.taken_over:
            metrics.TAKEN_OVER.inc()

        def ended(answer: KeptAnswer | None) -> None:
            self._flights.land(flight, answer)

        execution = Execution(self._store, call, claimed, ended)
        recorder = HeldResponse(send, execution)
        scope[EXECUTION] = execution
        try:
            await self._app(scope, receive, recorder.send)
        except Exception as error:
            if recorder.refused is not None:
                return  # our own refusal on its way up; it has been answered
            await execution.abandon()
            if recorder.began or not isinstance(error, HandfastError):
                raise
            await send_error(send, error)
        finally:
            # Also when the handler was cancelled, or ended without a whole response.
            await execution.abandon()

    async def _replay(self, call: Call, answer: KeptAnswer, source: str, send: Send) -> None:
        if answer.body is None:
            self._count_replay(source)
            raise IdempotencyResponseNotKept(
                f"This request was carried out and answered with {answer.status}; the response was "
                "not kept: it was too large, a stream, not to be kept at all, or withdrawn since.",
                hint="Nothing was done again. Ask for the result at its own address.",
            )
        # Once more, when everything is ready to be sent: since it was read, what it belongs to may
        # have ended.
        if answer.tag is not None and not await self._store.has_tag(call, answer.tag):
            raise IdempotencyResponseNotKept(
                f"This request was carried out and answered with {answer.status}; the response was "
                "withdrawn since, because what it belongs to has ended.",
                hint="Nothing was done again. Begin anew: sign in again, with a new key.",
            )
        self._count_replay(source)
        await send(
            {
                "type": "http.response.start",
                "status": answer.status,
                "headers": answer.replayed(),
            }
        )
        await send({"type": "http.response.body", "body": answer.body})

    @staticmethod
    def _count_replay(source: str) -> None:
        metrics.REPLAYED.inc()
        metrics.CACHE_HIT.labels(source).inc()


def _in_progress() -> IdempotencyInProgress:
    return IdempotencyInProgress(
        "The first request with this key has not been answered yet.",
        hint=f"Send the same request with the same key again in {RETRY_AFTER_SECONDS} s.",
        retry_after=RETRY_AFTER_SECONDS,
    )
