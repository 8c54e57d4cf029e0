"""Ports for programs that have to be told one: all others ask the kernel for any."""

import socket
from contextlib import suppress
from random import SystemRandom

# Below those that the kernel gives to whoever asks for any, in the other test processes too: one
# of theirs could be somebody else's before the program that was told of it has begun.
PORTS = range(10_000, 32_768)


def free_port() -> int:
    """Nobody listens there, and hardly anybody will but who is told of it."""
    while True:
        port = SystemRandom().choice(PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
