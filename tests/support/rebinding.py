"""A network of its own, in which names lie: run inside a network namespace by test_rebinding.

Here 8.8.8.8 is "outside" and 127.0.0.1 "inside", each with a web server on port 80, and a real
name server on port 53 whose answers change from one question to the next. The sender under test
asks it through the operating system, as it does in the world. Prints what happened as JSON.
"""

import asyncio
import fcntl
import json
import socket
import struct
import sys
from asyncio import StreamReader, StreamWriter
from typing import Any, cast

from handfast.services.outbound.sender import NoAnswer, Sender

OUTSIDE, INSIDE = "8.8.8.8", "127.0.0.1"
# Each question for an address takes the next line; the last one stays.
NAMES = {
    "rebinding.test": [[OUTSIDE], [INSIDE]],
    "both.test": [[OUTSIDE, INSIDE]],
    "honest.test": [[OUTSIDE]],
    "inside.test": [[INSIDE]],
}
SIOCSIFADDR, SIOCSIFFLAGS, UP_AND_RUNNING = 0x8916, 0x8914, 0x41


def bring_up() -> None:
    """The loopback interface, with the outside's address on it too."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        address = struct.pack(
            "16sH2s4s8s", b"lo:1", socket.AF_INET, b"", socket.inet_aton(OUTSIDE), b""
        )
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh", b"lo", UP_AND_RUNNING))
        fcntl.ioctl(control, SIOCSIFADDR, address)


class NameServer(asyncio.DatagramProtocol):
    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # By what it does: the event loop's own class is not declared to be this one.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        labels, at = [], 12
        while data[at]:
            labels.append(data[at + 1 : at + 1 + data[at]].decode().lower())
            at += 1 + data[at]
        question = data[12 : at + 5]
        found = self._answer(".".join(labels)) if question[-4:-2] == b"\0\1" else []
        head = data[:2] + struct.pack("!HHHHH", 0x8580, 1, len(found), 0, 0)
        records = [b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(address) for address in found]
        self._transport.sendto(head + question + b"".join(records), addr)

    def _answer(self, name: str) -> list[str]:
        answers = NAMES.get(name, [[]])
        number = self.asked.get(name, 0)
        self.asked[name] = number + 1
        return answers[min(number, len(answers) - 1)]


class Web:
    def __init__(self, extra: str) -> None:
        self._extra = extra
        self.requests: list[str] = []

    async def __call__(self, reader: StreamReader, writer: StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.requests.append(head.split(" ")[1])
        writer.write(f"HTTP/1.1 {self._extra}\r\nconnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()


async def post(sender: Sender, url: str) -> str:
    try:
        return str((await sender.post(url, {}, b"{}")).status)
    except NoAnswer as failed:
        return f"{type(failed).__name__}: {failed}"


async def main() -> None:
    bring_up()
    names = NameServer()
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: names, local_addr=(INSIDE, 53))
    outside, inside = Web("302 Go\r\nlocation: http://127.0.0.1/"), Web("200 OK")
    await asyncio.start_server(outside, OUTSIDE, 80)
    await asyncio.start_server(inside, INSIDE, 80)
    urls = sys.argv[1:]
    async with Sender(timeout=10) as sender:
        said = [await post(sender, url) for url in urls]
    print(  # noqa: T201
        json.dumps(
            {
                "said": said,
                "asked": names.asked,
                "outside": outside.requests,
                "inside": inside.requests,
            }
        )
    )


if __name__ == "__main__":
    asyncio.run(main())
