"""The HTTP API as one ASGI application.

app            the application, assembled, with what stands around all of it
serve          serving it on a socket that we bind ourselves
policies       what a route says of itself: callers, key, limits, body, audit
route_table    all routes with their policies, and the rules that are built from them
auth           who is calling, and whether the policy lets them
identity       who that is, for the rest of the request
signed_in      users and players: known by their access tokens
cookies        the cookie of an operator's or viewer's session
changes        what operators change, with its rows in the audit
viewers        what viewers see of an answer
problems       what errors of ours and of the framework become
bodies         bodies are read as they are written
invalid_input  what validation found, in the words of who sent it
pages          the dashboard, the documentation page, and their files
files          files for browsers, and what keeps a page to itself
routes         the addresses, a module for each group; their structs are in ``edge/api``
around         what happens to every request, also to those that no route takes
openapi        what the description says beyond what the framework knows
errors         errors of a request before any route has it

Flat because most of it stands between one request and its handler, and is read together.
"""

from handfast.base.extras import extra

with extra("server"):
    import litestar  # noqa: F401
    import uvicorn  # noqa: F401
