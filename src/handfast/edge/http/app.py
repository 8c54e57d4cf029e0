"""The ASGI application: the API, and what stands around all of it."""

from pathlib import Path

from litestar import Litestar, MediaType, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.static_files import create_static_files_router
from litestar.types import ASGIApp

from handfast import __version__
from handfast.base.errors import HandfastError
from handfast.edge.http.heads import heads_answered
from handfast.edge.http.observe import observed
from handfast.edge.http.problems import (
    on_framework_error,
    on_handfast_error,
    on_unexpected_error,
)
from handfast.edge.http.routes import admin, health
from handfast.wiring import System

STATIC = Path(__file__).parent / "static"


@get("/docs", include_in_schema=False, media_type=MediaType.HTML, sync_to_thread=False)
def docs() -> str:
    """Interactive documentation. The page's scripts are our own files: no network is needed."""
    return (STATIC / "docs.html").read_text()


def create_app(system: System, admin_token: str) -> ASGIApp:
    """What is served: the API, observed."""
    return surrounded(create_api(system, admin_token))


def surrounded(api: Litestar) -> ASGIApp:
    """The API with what happens to every request, also to those that no route takes."""
    return observed(heads_answered(api))


def create_api(system: System, admin_token: str) -> Litestar:
    """The whole API around one system."""
    return Litestar(
        route_handlers=[
            health.router,
            admin.router,
            docs,
            create_static_files_router(
                path="/static", directories=[STATIC], include_in_schema=False
            ),
        ],
        exception_handlers={
            HandfastError: on_handfast_error,
            HTTPException: on_framework_error,
            Exception: on_unexpected_error,
        },
        state=State({"system": system, "admin_token": admin_token}),
        openapi_config=_openapi(),
        logging_config=None,
    )


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Handfast",
        version=__version__,
        description="Durable matchmaking on PostgreSQL.",
        path="/openapi.json",
        render_plugins=[JsonRenderPlugin(path="/")],
        components=Components(
            security_schemes={
                "operator": SecurityScheme(
                    type="http",
                    scheme="bearer",
                    description="The operator's token, HANDFAST_ADMIN_TOKEN.",
                )
            }
        ),
    )
