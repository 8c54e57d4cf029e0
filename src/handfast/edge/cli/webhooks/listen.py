"""``handfast webhooks listen``: prints and verifies what arrives, for people who want to see it."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter
from rich.text import Text

from handfast.base.errors import InvalidRequest
from handfast.base.text import printable
from handfast.edge.cli.speaking.options import Json
from handfast.edge.cli.speaking.output import ERR, OUT
from handfast.edge.http.serve import bind, serve, url_of
from handfast.engine.event_envelope import event_type_in
from handfast.services.outbound.answer import excerpt
from handfast.services.webhooks.errors import WebhookSignatureInvalid
from handfast.services.webhooks.signing.secrets import SigningSecret
from handfast.services.webhooks.signing.signature import ID_HEADER, verify
from handfast.wiring import load_settings, prepare_process

BODY_BYTES_MAX = 1024 * 1024
IDS_REMEMBERED_MAX = 10_000  # to count attempts; whoever listens for longer counts anew

Host = Annotated[str, Parameter(help="The address to listen on.")]
Port = Annotated[int, Parameter(help="The port to listen on; 0 takes a free one.")]
SecretText = Annotated[
    str | None, Parameter(help="The endpoint's secret (whsec_…). Without it nothing is verified.")
]
Fail = Annotated[
    int | None, Parameter(help="Let so many deliveries fail, then answer 200, to see retries.")
]
Status = Annotated[
    int | None,
    Parameter(help="Answer with this status; with --fail to those deliveries only (else 500)."),
]

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def listen(
    *,
    host: Host = "127.0.0.1",
    port: Port = 9009,
    secret: SecretText = None,
    fail: Fail = None,
    status: Status = None,
    json: Json = False,
) -> None:
    """Print webhooks as they arrive, and verify them, until Ctrl-C.

    Handfast delivers to this machine only if private addresses are allowed.
    """
    if status is not None and not 200 <= status <= 599:
        raise InvalidRequest(f"{status} is no status to answer with.", hint="Use 200 to 599.")
    if fail is not None and fail < 0:
        raise InvalidRequest("--fail counts deliveries.", hint="Use 0 or more.")
    key = None if secret is None else SigningSecret.parse(secret)
    prepare_process(load_settings())
    listener = DeliveryListener(
        key, fail=fail, status=status, show=_print_json if json else _print_text
    )
    with bind(host, port) as bound:
        url = url_of(bound)
        console = ERR if json else OUT  # of JSON there is nothing else on standard output

        def ready() -> None:
            console.print(f"Listening for webhooks at {url}/ (Ctrl-C ends it)", markup=False)
            if key is None:
                console.print("Nothing is verified: pass --secret whsec_…", style="yellow")

        asyncio.run(serve(listener, bound, ready))


class ReceivedDelivery(msgspec.Struct, rename="camel", kw_only=True):
    """One arrival, as it is printed. ``verified`` is null when no secret was given."""

    received_at: datetime
    id: str | None
    attempt: int
    verified: bool | None
    problem: str | None = None
    answered: int
    body: Any


class DeliveryListener:
    """A plain ASGI application."""

    def __init__(
        self,
        secret: SigningSecret | None,
        *,
        fail: int | None,
        status: int | None,
        show: Callable[[ReceivedDelivery], None],
    ) -> None:
        self._secret = secret
        self._fail = fail
        self._status = status
        self._show = show
        self._seen: Counter[str | None] = Counter()
        self._deliveries = 0

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            for what in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{what}.complete"})
        elif scope["type"] != "http":
            raise RuntimeError(f"webhooks come by HTTP, not {scope['type']}")
        elif scope["method"] != "POST":
            await _answer(send, 405, b"POST webhooks here\n")
        elif (body := await _body(receive)) is not None:
            headers = {
                name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
            }
            delivery = self.take(headers, body)
            await _answer(send, delivery.answered, b"")
            self._show(delivery)

    def take(self, headers: dict[str, str], body: bytes) -> ReceivedDelivery:
        verified, problem = self._verify(headers, body)
        if len(self._seen) >= IDS_REMEMBERED_MAX:
            self._seen.clear()
        name = headers.get(ID_HEADER)
        self._seen[name] += 1
        return ReceivedDelivery(
            received_at=datetime.now(UTC),
            id=name,
            attempt=self._seen[name],
            verified=verified,
            problem=problem,
            answered=self._answer(verified),
            body=_read(body),
        )

    def _verify(self, headers: dict[str, str], body: bytes) -> tuple[bool | None, str | None]:
        if self._secret is None:
            return None, None
        try:
            verify([self._secret], headers, body, now=time.time())
        except WebhookSignatureInvalid as invalid:
            return False, str(invalid)
        return True, None

    def _answer(self, verified: bool | None) -> int:
        if verified is False:
            return 401
        self._deliveries += 1
        if self._fail is not None:
            return (self._status or 500) if self._deliveries <= self._fail else 200
        return self._status or 200


def _read(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return excerpt(body)


def _print_text(delivery: ReceivedDelivery) -> None:
    """For people: one line about it, then the body."""
    body = delivery.body
    line = Text(f"{delivery.received_at:%H:%M:%S} ", style="dim")
    line.append(printable(event_type_in(body) or "?"), style="bold")
    line.append(f" {printable(delivery.id or 'without an id')} ", style="dim")
    match delivery.verified:
        case None:
            line.append("not verified", style="yellow")
        case True:
            line.append("signature fits", style="green")
        case False:
            line.append(printable(delivery.problem or ""), style="red")
    if delivery.attempt > 1:
        line.append(f", seen {delivery.attempt} times", style="yellow")
    line.append(f", answered {delivery.answered}", style="" if delivery.answered < 300 else "red")
    OUT.print(line)
    formatted = msgspec.json.format(msgspec.json.encode(body), indent=2).decode()
    OUT.print(Text(printable(formatted)))


def _print_json(delivery: ReceivedDelivery) -> None:
    """For programs: one line of JSON."""
    sys.stdout.write(msgspec.json.encode(delivery).decode() + "\n")
    sys.stdout.flush()


async def _body(receive: Receive) -> bytes | None:
    """The body, cut where nobody would read on; ``None`` if the sender left."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")[: max(0, BODY_BYTES_MAX - len(body))]
        if not message.get("more_body", False):
            return bytes(body)


async def _answer(send: Send, status: int, body: bytes) -> None:
    length = str(len(body)).encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", length)]
    if status in {204, 205, 304}:  # these have no body, and say nothing about one
        headers = []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
