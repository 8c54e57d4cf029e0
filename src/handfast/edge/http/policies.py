"""What a route says of itself: who may call it, whether it takes a key, how often it may be called,
how large its body may be, and under which name the audit has what it changes.

    @policy(OPERATOR, key=OPTIONAL, audit="job.retry")
    @post("/jobs/{job_id:int}/retry")
    async def retry(…): …

    @policy(ANYONE, limits=[RouteLimit("searches", 60, timedelta(minutes=1))], body=16 * KIB)
    @post("/searches")
    async def search(…): …

It is said here and nowhere else: the guard, the rules of the middlewares around the application and
the OpenAPI document are built from it (``route_table``). A route without one does not start.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

from litestar.handlers import BaseRouteHandler, HTTPRouteHandler

from handfast.base.settings import Settings
from handfast.edge.http.problems import problem_spec
from handfast.services.idempotency.asgi.rules import SAFE_METHODS, TTL, BodyPrincipal, Need
from handfast.services.limits.limit import Limit
from handfast.services.limits.rules import Who

KIB = 1024
BODY_BYTES_MAX = 1024 * KIB  # lists of ids and filters; what a route takes that says nothing else
OPT = "policy"  # where the framework keeps it with the handler


class Caller(StrEnum):
    """Kinds of caller. Who is which is for ``auth`` to say; a kind that nothing there knows is
    refused wherever it would be needed."""

    ANYONE = "anyone"
    USER = "user"
    PLAYER = "player"
    OPERATOR = "operator"
    VIEWER = "viewer"
    GAME_SERVER = "game_server"


ANYONE, USER, PLAYER = Caller.ANYONE, Caller.USER, Caller.PLAYER
OPERATOR, GAME_SERVER = Caller.OPERATOR, Caller.GAME_SERVER
STAFF = frozenset({OPERATOR, Caller.VIEWER})
GUESSABLE = STAFF | {GAME_SERVER}  # whose tokens are worth guessing: wrong ones count
PEOPLE = frozenset({USER, PLAYER})  # who sign in, and may be suspended

Seen = Callable[[Any], Any]  # an answer, as viewers see it: edge/api has them beside the structs


@dataclass(frozen=True)
class Key:
    """Whether a route takes an idempotency key, and what becomes of the answer. ``principal`` is
    whose key it is: by default whoever calls, and strangers by address and device.
    ``body_principal`` finds that in the body, which is read whole and bounded by the policy; where
    it answers None, it is as if it were not there."""

    need: Need = Need.OPTIONAL
    principal: Callable[[Any], str] | None = None  # of the ASGI scope
    ttl: timedelta = TTL
    encrypted: bool = False
    kept: bool = True
    body_principal: BodyPrincipal | None = None  # of the ASGI scope and the body


OPTIONAL, REQUIRED, IGNORED = Key(), Key(Need.REQUIRED), Key(Need.IGNORED)
# The answer says who somebody is, to them or to others: it is kept encrypted.
PERSONAL, PERSONAL_REQUIRED = Key(encrypted=True), Key(Need.REQUIRED, encrypted=True)


@dataclass(frozen=True)
class RouteLimit:
    """So many calls in each period, for every address or principal. Routes that name the same limit
    share it. ``quota`` may come from the settings. ``durable`` and ``exact`` as in
    ``services/limits``."""

    name: str
    quota: int | Callable[[Settings], int]
    period: timedelta
    by: Who = "address"
    durable: bool = True
    exact: bool = False

    def limit(self, settings: Settings) -> Limit:
        quota = self.quota(settings) if callable(self.quota) else self.quota
        return Limit(self.name, quota, self.period, self.durable, self.exact)


@dataclass(frozen=True)
class Policy:
    callers: frozenset[Caller]
    key: Key = IGNORED
    limits: tuple[RouteLimit, ...] = ()
    body: int = BODY_BYTES_MAX
    audit: str | None = None
    seen: Seen | None = field(default=None, compare=False)
    suspended: bool = False

    def problems(self) -> dict[int, str]:
        """What may be answered before the handler is asked, and why."""
        said: dict[int, list[str]] = {}
        if ANYONE not in self.callers:
            said[401] = ["No token was sent, or one that is nobody's"]
            said[403] = [f"The token is not that of {_any_of(self.callers)}"]
        if self.callers & PEOPLE and not self.suspended:
            said[403].append("the account is suspended")
        if self.callers & GUESSABLE:
            said[429] = ["Too many wrong tokens came from this address"]
        if self.limits:
            said.setdefault(429, []).append("Too many requests came")
        if self.key.need is not Need.IGNORED:
            said[400] = ["The idempotency key is no UUID of version 4"]
            said[409] = ["The idempotency key is in use, or was used for another request"]
        if said:
            said[503] = ["The database cannot be reached, or does not fit"]
        return {status: "; or ".join(causes) for status, causes in said.items()}


EVERYBODY = Policy(frozenset({ANYONE}))

H = TypeVar("H", bound=HTTPRouteHandler)


def policy(
    *callers: Caller,
    viewer: Seen | None = None,
    key: Key = IGNORED,
    limits: Sequence[RouteLimit] = (),
    body: int = BODY_BYTES_MAX,
    audit: str | None = None,
    suspended: bool = False,
) -> Callable[[H], H]:
    """Put it above the framework's decorator. ``viewer`` lets viewers in and says what of the
    answer they see. ``audit`` names what an operator changes here (``changes.changing`` writes it
    down), and nothing that operators change goes without. ``suspended``: a suspension leaves it to
    users and players."""
    kinds = frozenset(callers) | ({Caller.VIEWER} if viewer else frozenset())
    made = Policy(kinds, key, tuple(limits), body, audit, viewer, suspended)

    def put(handler: H) -> H:
        _check(made, handler)
        handler.opt[OPT] = made
        handler.request_max_body_size = made.body
        handler.security = [{kind.value: []} for kind in Caller if kind in kinds - {ANYONE}]
        handler.responses = {**(handler.responses or {})}
        for status, cause in made.problems().items():
            own = handler.responses.get(status)
            words = cause if own is None else f"{own.description}; or {_lower(cause)}"
            handler.responses[status] = problem_spec(words)
        return handler

    return put


def policy_of(handler: BaseRouteHandler) -> Policy:
    found = handler.opt.get(OPT)
    if not isinstance(found, Policy):
        raise ValueError(
            f"{handler} has no policy: say with @policy(…) above its decorator who may call it"
        )
    return found


def _check(made: Policy, handler: HTTPRouteHandler) -> None:
    changes = bool(handler.http_methods - SAFE_METHODS)
    wrong = {
        "nobody may call it": not made.callers,
        "anyone may call it, so nobody else is to be named": ANYONE in made.callers
        and len(made.callers) > 1,
        "viewers may look, and it changes something": Caller.VIEWER in made.callers and changes,
        "operators change something there, and it has no name for the audit": changes
        and OPERATOR in made.callers
        and made.audit is None,
        "nobody is let in who could be suspended": made.suspended and not made.callers & PEOPLE,
        "it changes nothing, and would be in the audit": made.audit is not None and not changes,
        "it changes nothing, and would take an idempotency key": made.key.need is not Need.IGNORED
        and not changes,
    }
    for why, is_so in wrong.items():
        if is_so:
            raise ValueError(f"The policy of {handler} is wrong: {why}.")


def _any_of(callers: frozenset[Caller]) -> str:
    kinds = [kind.value.replace("_", " ") for kind in Caller if kind in callers]
    return " or ".join(f"{'an' if kind[0] in 'aeio' else 'a'} {kind}" for kind in kinds)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
