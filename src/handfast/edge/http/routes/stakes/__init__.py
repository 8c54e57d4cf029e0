"""The staked queue over HTTP: for players, for game servers, for operators.

queue      staking, changing, cancelling, and where one stands
players    the own money
sessions   games: looking, moves, disputes; results, for game servers
admin      disputes, for operators
watching   the queue and the games, for operators
"""

from typing import Any

from litestar import Router

from handfast.edge.http.routes.stakes import admin, players, queue, sessions, watching

router: Any = Router(
    path="/",
    route_handlers=[
        *queue.HANDLERS,
        *players.HANDLERS,
        *sessions.HANDLERS,
        *admin.HANDLERS,
        *watching.HANDLERS,
    ],
    tags=["stakes"],
)
