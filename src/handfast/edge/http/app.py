"""The ASGI application: the API, and what stands around all of it."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import ASGIApp
from pydantic import SecretStr

from handfast import __version__
from handfast.base.errors import HandfastError
from handfast.base.ids import new_token
from handfast.base.tokens import NamedToken, read_tokens
from handfast.edge.http import pages
from handfast.edge.http.around.faults import faults_answered
from handfast.edge.http.around.heads import heads_answered
from handfast.edge.http.around.hosts import hosts_checked
from handfast.edge.http.around.keyed import keyed
from handfast.edge.http.around.limits import rate_limited
from handfast.edge.http.around.observe import observed
from handfast.edge.http.around.options import options_answered
from handfast.edge.http.around.paths import spelled_once
from handfast.edge.http.auth import Authenticator, SettingsTokens, admit, operator_logins
from handfast.edge.http.bodies import StrictRequest
from handfast.edge.http.openapi.keys import KeyedDescription
from handfast.edge.http.openapi.strict import StrictStructs
from handfast.edge.http.openapi.words import NamedWords
from handfast.edge.http.policies import BODY_BYTES_MAX, EVERYBODY, OPT, Caller
from handfast.edge.http.problems import (
    on_framework_error,
    on_handfast_error,
    on_undecodable_body,
    on_unexpected_error,
)
from handfast.edge.http.route_table import route_table
from handfast.edge.http.routes import admin, health
from handfast.edge.http.viewers import as_seen
from handfast.engine.capability import each
from handfast.engine.host import Host
from handfast.engine.operating.alerts import rules_of
from handfast.engine.operating.prometheus import DatabaseMetrics
from handfast.engine.system import System
from handfast.facade import Handfast
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.subject import Proxies


def surrounded(api: Litestar) -> ASGIApp:
    """The API with what happens to every request, also to those that no route takes."""
    inner = keyed(api) if "idempotency_secret" in api.state else cast("ASGIApp", api)
    limited = rate_limited(api, inner)
    answered = faults_answered(options_answered(limited, api.state.routes))
    return spelled_once(observed(hosts_checked(heads_answered(answered))))


def create_api(
    system: System,
    admin_token: str,
    *,
    idempotency_secret: str | None = None,
    program: Handfast | None = None,
    host: Host | None = None,
    routes: Sequence[Any] = (),
) -> Litestar:
    """The whole API around one system. ``admin_token`` is one, or several with names.
    ``idempotency_secret`` encrypts kept answers; without it only this process can read them again.
    ``program`` brings what it expects to exist; ``host`` is that of this process: what works here,
    and listens; without one, nobody does. ``routes`` are more than ours, each with its policy."""
    host = host or Host(system.database, system.direct)
    on = system.capabilities.on
    shared = {name: make(system, host) for name, make in each(on, "shared").items()}
    api = _assemble(
        [
            health.router,
            admin.router,
            *each(on, "routes").values(),
            *pages.HANDLERS,
            *routes,
        ],
        _state(
            system,
            host,
            staff_tokens=_staff(system, admin_token),
            authenticators=[
                *_from_settings(system, admin_token),
                *(
                    make(system, shared.get(name))
                    for name, make in each(on, "authenticator").items()
                ),
            ],
            idempotency_secret=idempotency_secret or new_token("hf_seal"),
            program=program,
            shared=shared,
        ),
    )
    api.on_shutdown += [host.hub.close, *(one.close for one in shared.values())]
    return api


def create_probes(system: System, host: Host) -> Litestar:
    """Only health, readiness and metrics: for processes that work and serve nothing else."""
    return _assemble([health.router], _state(system, host))


def _from_settings(system: System, admin_token: str) -> list[Authenticator]:
    """Staff and game servers apart: wrong tokens of one are no guesses at the other's."""
    games_held = {Caller.GAME_SERVER: _tokens(system.settings.game_token, Caller.GAME_SERVER)}
    return [SettingsTokens(_staff(system, admin_token)), SettingsTokens(games_held)]


def _staff(system: System, admin_token: str) -> dict[Caller, list[NamedToken]]:
    return {
        Caller.OPERATOR: read_tokens(admin_token, Caller.OPERATOR),
        Caller.VIEWER: _tokens(system.settings.viewer_token, Caller.VIEWER),
    }


def _tokens(setting: SecretStr | None, unnamed: Caller) -> list[NamedToken]:
    return read_tokens(setting.get_secret_value(), unnamed) if setting else []


def _state(system: System, host: Host, **more: Any) -> State:
    return State(
        {
            "system": system,
            "host": host,
            "figures": DatabaseMetrics(system.database, rules_of(system.capabilities)),
            "limiter": Limiter(system.database, system.redis),
            "operator_logins": operator_logins(system.settings.operator_login_limit),
            "proxies": Proxies(system.settings.trusted_proxies),
            "stopping": asyncio.Event(),
            "authenticators": (),
            **more,
        },
        deep_copy=False,
    )


def _assemble(routes: list[Any], state: State) -> Litestar:
    api = Litestar(
        route_handlers=routes,
        guards=[admit],
        request_class=StrictRequest,
        after_request=as_seen,
        exception_handlers={
            HandfastError: on_handfast_error,
            HTTPException: on_framework_error,
            UnicodeDecodeError: on_undecodable_body,
            RecursionError: on_undecodable_body,
            Exception: on_unexpected_error,
        },
        state=state,
        plugins=[StrictStructs(), NamedWords()],
        openapi_config=_openapi(),
        logging_config=None,
        request_max_body_size=BODY_BYTES_MAX,
    )
    api.state["routes"] = route_table(api)
    return api


_TOKENS = {
    Caller.OPERATOR.value: "An operator's token, of HANDFAST_ADMIN_TOKEN.",
    Caller.VIEWER.value: "A viewer's token, of HANDFAST_VIEWER_TOKEN: may look, and sees less.",
    Caller.USER.value: "A user's access token: of POST /auth/otp/verify or POST /auth/refresh.",
    Caller.PLAYER.value: "A user's access token: a player is the user who is signed in.",
    Caller.GAME_SERVER.value: "A game server's token, of HANDFAST_GAME_TOKEN.",
}


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Handfast",
        version=__version__,
        description="Durable matchmaking on PostgreSQL.",
        openapi_router=Router(
            "/openapi.json", route_handlers=[], include_in_schema=False, opt={OPT: EVERYBODY}
        ),
        render_plugins=[KeyedDescription(path="/")],
        components=Components(
            security_schemes={
                kind: SecurityScheme(type="http", scheme="bearer", description=about)
                for kind, about in _TOKENS.items()
            }
        ),
    )
