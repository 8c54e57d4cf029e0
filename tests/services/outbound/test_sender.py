"""One POST, to endpoints of every kind: well-behaved, broken, slow, hostile; on real sockets."""

import asyncio
import gc
import gzip
import socket
import ssl
import struct
import time
import tracemalloc
from asyncio import StreamReader as Reader
from asyncio import StreamWriter as Writer
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from handfast.services.outbound.sender import AddressRefused, Sender, Unreachable
from tests.support.tcp_servers import serving
from tests.support.tls import Authority

pytestmark = pytest.mark.on_lowest

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
SHORT = 0.5  # the deadline of these tests, in seconds
LONGER = 2.0  # of those in which something else has to happen meanwhile, on a busy machine

Handle = Callable[[Reader, Writer], Awaitable[None]]


async def read_request(reader: Reader) -> tuple[list[str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")[:-2]
    [length] = [int(line.partition(":")[2]) for line in head if line.startswith("content-length:")]
    return head, await reader.readexactly(length)


class Endpoint:
    """Answers each request with the next of ``answers`` (the last one again and again)."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[list[str], bytes]] = []
        self.connections = 0

    async def __call__(self, reader: Reader, writer: Writer) -> None:
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                self.requests.append(await read_request(reader))
                writer.write(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])
                await writer.drain()


def after_the_request(tell: Callable[[Writer], Awaitable[None]]) -> Handle:
    async def handle(reader: Reader, writer: Writer) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await read_request(reader)
            await tell(writer)

    return handle


def always(*addresses: str) -> Callable[[str, int], Awaitable[Sequence[str]]]:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    return resolve


async def fails(handle: Handle, *, within: float = 30.0) -> Unreachable:
    """Post to it, and give back the failure."""
    async with serving(handle) as port, Sender(allow_private=True, timeout=within) as sender:
        with pytest.raises(Unreachable) as failed:
            await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
        assert sender.idle_connections == 0
    return failed.value


# --- what is sent, and what comes back ----------------------------------------------------------


async def test_the_request_is_what_was_asked_for() -> None:
    endpoint = Endpoint(OK)
    async with serving(endpoint) as port, Sender(allow_private=True) as sender:
        answer = await sender.post(
            f"http://localhost:{port}/in?tenant=7", {"Webhook-Id": "msg_1"}, b'{"a":1}'
        )
    assert (answer.status, answer.retry_after, answer.excerpt) == (200, None, "ok")
    assert 0 < answer.seconds < 5
    [(head, body)] = endpoint.requests
    assert body == b'{"a":1}'
    assert head[0] == "POST /in?tenant=7 HTTP/1.1"
    assert sorted(head[1:]) == [
        "accept-encoding: identity",
        "accept: */*",
        "content-length: 7",
        f"host: localhost:{port}",
        "user-agent: Handfast/1",
        "webhook-id: msg_1",
    ]


async def test_connections_are_used_again() -> None:
    endpoint = Endpoint(OK)
    async with serving(endpoint) as port, Sender(allow_private=True) as sender:
        for _ in range(20):
            await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
        assert sender.idle_connections == 1
    assert (len(endpoint.requests), endpoint.connections) == (20, 1)


@pytest.mark.parametrize(
    "status", [200, 204, 299, 300, 304, 400, 404, 410, 429, 500, 503, 599, 999]
)
async def test_every_status_is_an_answer(status: int) -> None:
    endpoint = Endpoint(f"HTTP/1.1 {status} Said\r\ncontent-length: 0\r\n\r\n".encode())
    async with serving(endpoint) as port, Sender(allow_private=True) as sender:
        assert (await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")).status == status


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_both_forms_of_retry_after(form: str) -> None:
    then = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 100))
    header = "100" if form == "seconds" else then
    said = f"HTTP/1.1 429 Slow\r\nRetry-After: {header}\r\ncontent-length: 0\r\n\r\n".encode()
    async with serving(Endpoint(said)) as port, Sender(allow_private=True) as sender:
        answer = await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
    assert answer.retry_after == pytest.approx(100, abs=3)


async def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    inside = Endpoint(OK)
    async with serving(inside) as target:
        said = f"HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:{target}/\r\ncontent-length: 0\r\n"
        async with (
            serving(Endpoint(said.encode() + b"\r\n")) as port,
            Sender(allow_private=True) as sender,
        ):
            assert (await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")).status == 307
    assert inside.connections == 0


async def test_the_environments_proxy_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, endpoint = Endpoint(OK), Endpoint(OK)
    async with serving(proxy) as between, serving(endpoint) as port:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{between}")
        async with Sender(allow_private=True) as sender:
            await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
    assert (proxy.connections, endpoint.connections) == (0, 1)


async def test_cookies_are_not_kept() -> None:
    endpoint = Endpoint(b"HTTP/1.1 200 OK\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n")
    async with serving(endpoint) as port, Sender(allow_private=True) as sender:
        for _ in range(2):
            await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
    assert not [line for head, _ in endpoint.requests for line in head if "cookie" in line]


# --- bodies that do not end, and bombs ----------------------------------------------------------


async def test_of_a_body_without_end_only_the_beginning_is_read() -> None:
    written = 0

    async def pour(writer: Writer) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()
            written += 65536

    async with serving(after_the_request(pour)) as port, Sender(allow_private=True) as sender:
        tracemalloc.start()
        answer = await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sender.idle_connections == 0
    assert (answer.status, answer.excerpt) == (200, "x" * 1000)
    assert answer.seconds < 5
    assert written < 32 * 1024 * 1024, "the rest was left in the sockets' buffers"
    assert peak < 8 * 1024 * 1024


async def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    assert len(bomb) < 65536  # it fits under the cap, packed
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(bomb)
    async with serving(Endpoint(head + bomb)) as port, Sender(allow_private=True) as sender:
        tracemalloc.start()
        answer = await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert answer.excerpt == f"[{len(bomb)} bytes of gzip, not unpacked]"
    assert peak < 8 * 1024 * 1024


async def test_a_body_that_drips_for_ever_is_a_timeout() -> None:
    async def drip(writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"1\r\nx\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    started = time.monotonic()
    failed = await fails(after_the_request(drip), within=SHORT)
    assert failed.reason == "timeout"
    assert SHORT <= time.monotonic() - started < SHORT + 10


# --- slow and silent ----------------------------------------------------------------------------


async def silence(_: Writer) -> None:
    await asyncio.sleep(60)


async def crawl(writer: Writer) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nx-slow: " + b"x" * 10_000:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("tell", [silence, crawl])
async def test_slow_is_a_timeout_of_the_whole(tell: Callable[[Writer], Awaitable[None]]) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    started = time.monotonic()
    failed = await fails(after_the_request(tell), within=LONGER)
    took = time.monotonic() - started
    ticking.cancel()
    assert failed.reason == "timeout"
    assert LONGER <= took < LONGER + 10
    assert ticks > 5, "others went on meanwhile"


async def test_an_endpoint_that_reads_nothing_is_a_timeout() -> None:
    async def deaf(reader: Reader, writer: Writer) -> None:
        await asyncio.sleep(60)

    async with serving(deaf) as port, Sender(allow_private=True, timeout=SHORT) as sender:
        with pytest.raises(Unreachable) as failed:
            await sender.post(f"http://127.0.0.1:{port}/", {}, b"x" * 64 * 1024 * 1024)
    assert failed.value.reason == "timeout"


async def test_a_name_server_that_does_not_answer_is_a_timeout() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(60)
        return []

    async with Sender(timeout=SHORT, resolver=resolve) as sender:
        with pytest.raises(Unreachable) as failed:
            await sender.post("http://slow.example/", {}, b"{}")
    assert failed.value.reason == "timeout"


async def test_slow_endpoints_do_not_hold_up_others() -> None:
    async with (
        serving(after_the_request(silence)) as slow,
        serving(Endpoint(OK)) as quick,
        Sender(allow_private=True, timeout=300) as sender,
    ):
        waiting = [
            asyncio.create_task(sender.post(f"http://127.0.0.1:{slow}/", {}, b"{}"))
            for _ in range(200)
        ]
        await asyncio.sleep(0.2)
        answer = await sender.post(f"http://127.0.0.1:{quick}/", {}, b"{}")
        ended = [task.exception() for task in waiting if task.done()]
        assert (answer.status, ended) == (200, [])
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_cancelled_post_leaves_nothing_behind() -> None:
    async with serving(after_the_request(silence)) as port, Sender(allow_private=True) as sender:
        task = asyncio.create_task(sender.post(f"http://127.0.0.1:{port}/", {}, b"{}"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sender.connections == 0


# --- broken -------------------------------------------------------------------------------------


async def flood_headers(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x-flood: %s\r\n" % (b"y" * 1000))
        await writer.drain()


async def continue_for_ever(writer: Writer) -> None:
    while True:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        await writer.drain()


async def pad_chunks(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1;%s\r\nx\r\n" % (b"y" * 1000))
        await writer.drain()


def says(text: bytes) -> Callable[[Writer], Awaitable[None]]:
    async def tell(writer: Writer) -> None:
        writer.write(text)
        await writer.drain()

    return tell


@pytest.mark.parametrize(
    "tell",
    [
        flood_headers,
        continue_for_ever,
        pad_chunks,
        says(b""),
        says(b"SSH-2.0-OpenSSH_9.2\r\n"),
        says(b"<html>HTTP/0.9</html>"),
        says(b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
        says(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello"),
        says(b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"),
        says(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"),
        says(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
        says(b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n"),
        says(b"\0\1\2\3" * 1000),
        says(b"HTTP/1.1 101 Switch\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nwhatever"),
    ],
    ids=lambda tell: getattr(tell, "__name__", ""),
)
async def test_what_is_not_http_is_a_failure(tell: Callable[[Writer], Awaitable[None]]) -> None:
    failed = await fails(after_the_request(tell))
    assert failed.reason == "protocol"
    assert "127.0.0.1" in str(failed)


async def test_a_reset_is_a_failure() -> None:
    async def reset(writer: Writer) -> None:
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    assert (await fails(after_the_request(reset))).reason == "reset"


async def test_a_closed_port_is_a_failure() -> None:
    with socket.socket() as closed:  # bound, so that nobody else gets the port; it does not listen
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        async with Sender(allow_private=True) as sender:
            with pytest.raises(Unreachable) as failed:
                await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
    assert failed.value.reason == "connect"


async def test_an_unknown_name_is_a_failure() -> None:
    async with Sender() as sender:
        with pytest.raises(Unreachable) as failed:
            await sender.post("http://no-such-host.invalid/", {}, b"{}")
        assert failed.value.reason == "dns"
    async with Sender(resolver=always()) as sender:
        with pytest.raises(Unreachable) as failed:
            await sender.post("http://empty.example/", {}, b"{}")
        assert failed.value.reason == "dns"


async def test_after_a_failure_the_next_post_works() -> None:
    endpoint = Endpoint(b"garbage\r\n\r\n", OK)
    async with serving(endpoint) as port, Sender(allow_private=True) as sender:
        with pytest.raises(Unreachable):
            await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")
        assert (await sender.post(f"http://127.0.0.1:{port}/", {}, b"{}")).status == 200


async def test_the_second_address_is_tried_when_the_first_is_dead() -> None:
    async with (
        serving(Endpoint(OK)) as port,  # on 127.0.0.1 alone
        Sender(allow_private=True, resolver=always("127.0.0.2", "127.0.0.1")) as sender,
    ):
        assert (await sender.post(f"http://two.example:{port}/", {}, b"{}")).status == 200


# --- TLS ----------------------------------------------------------------------------------------


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.mark.parametrize("host", ["shop.example", "shop.example.", "SHOP.example"])
async def test_tls_proves_the_name_though_we_connect_to_an_address(
    authority: Authority, host: str
) -> None:
    asked: list[str | None] = []
    context = authority.server("shop.example")
    context.sni_callback = lambda _, name, __: asked.append(name)
    async with (
        serving(Endpoint(OK), context) as port,
        Sender(
            allow_private=True, resolver=always("127.0.0.1"), ssl_context=authority.client()
        ) as sender,
    ):
        for _ in range(2):
            assert (await sender.post(f"https://{host}:{port}/", {}, b"{}")).status == 200
    assert asked == ["shop.example"], "asked for by name, and the connection used twice"


@pytest.mark.parametrize("case", ["another name", "expired", "unknown authority", "no TLS"])
async def test_without_proof_nothing_is_sent(authority: Authority, case: str) -> None:
    heard = b""

    async def listen(reader: Reader, writer: Writer) -> None:
        nonlocal heard
        heard += await reader.read(65536)
        writer.write(b"HTTP/1.1 400 Speak plainly\r\n\r\n")

    server: ssl.SSLContext | None = authority.server("shop.example")
    match case:
        case "another name":
            server = authority.server("evil.example")
        case "expired":
            server = authority.server("shop.example", days=-1)
        case "no TLS":
            server = None
    trusted = None if case == "unknown authority" else authority.client()
    async with (
        serving(listen, server) as port,
        Sender(
            allow_private=True, timeout=5, resolver=always("127.0.0.1"), ssl_context=trusted
        ) as sender,
    ):
        with pytest.raises(Unreachable) as failed:
            await sender.post(f"https://shop.example:{port}/", {}, b"{}")
    assert failed.value.reason == "tls"
    assert b"POST" not in heard


async def test_a_handshake_that_never_ends_is_a_timeout_and_the_connection_is_closed() -> None:
    left = asyncio.Event()

    async def mute(reader: Reader, writer: Writer) -> None:
        await reader.read()
        left.set()

    async with (
        serving(mute) as port,
        Sender(allow_private=True, timeout=SHORT) as sender,
    ):
        gc.disable()  # which would close it too, some day
        try:
            with pytest.raises(Unreachable) as failed:
                await sender.post(f"https://127.0.0.1:{port}/", {}, b"{}")
            async with asyncio.timeout(5):
                await left.wait()
        finally:
            gc.enable()
    assert failed.value.reason == "timeout"


# --- the guard ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["93.184.216.34", "127.0.0.1"],
        ["127.0.0.1", "93.184.216.34"],
        ["2606:4700::1111", "93.184.216.34", "fd00::1"],
        ["fe80::1%lo"],
    ],
    ids=str,
)
async def test_a_name_that_leads_inside_is_refused_before_connecting(addresses: list[str]) -> None:
    endpoint = Endpoint(OK)
    async with serving(endpoint) as port, Sender(resolver=always(*addresses)) as sender:
        with pytest.raises(AddressRefused) as refused:
            await sender.post(f"http://innocent.example:{port}/", {}, b"{}")
    assert refused.value.reason == "address"
    assert "innocent.example leads to" in str(refused.value)
    assert endpoint.connections == 0


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "LocalHost", "0.0.0.0", "[::1]", "[::]"),
        *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]"),
        *("[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1]", "10.0.0.1", "169.254.169.254"),
    ],
)
async def test_literal_addresses_are_refused_before_connecting(host: str) -> None:
    endpoint = Endpoint(OK)
    async with serving(endpoint) as port, Sender() as sender:
        with pytest.raises(AddressRefused) as refused:
            await sender.post(f"http://{host}:{port}/", {}, b"{}")
    assert refused.value.reason == "address"
    assert endpoint.connections == 0


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1"])
@pytest.mark.parametrize("allow_private", [True, False])
async def test_other_spellings_are_refused(host: str, allow_private: bool) -> None:
    # The resolver of this machine does take them for 127.0.0.1, so this is no idle fear.
    assert socket.getaddrinfo(host, 80)[0][4][0] == "127.0.0.1"
    async with Sender(allow_private=allow_private) as sender:
        with pytest.raises(AddressRefused) as refused:
            await sender.post(f"http://{host}/", {}, b"{}")
    assert refused.value.reason == "url"


async def test_other_schemes_are_refused() -> None:
    async with Sender(allow_private=True) as sender:
        for url in ("ftp://a.example/", "file:///etc/passwd", "ws://a.example/", "nonsense"):
            with pytest.raises(AddressRefused) as refused:
                await sender.post(url, {}, b"{}")
            assert refused.value.reason == "url"


async def test_a_sender_that_is_not_open_says_so() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        await Sender().post("https://a.example/", {}, b"{}")
