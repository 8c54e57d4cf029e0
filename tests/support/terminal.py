"""A terminal of so many columns, and a command in it."""

import asyncio
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def on_terminal(*command: str, columns: int = 80, **environment: str) -> str:
    """What a person would see of ``handfast COMMAND``, without the colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    known = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "handfast", *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**known, "TERM": "xterm-256color", **environment},
    )
    os.close(theirs)
    said = b""
    try:
        while part := _read(ours):
            said += part
        process.wait()
    finally:
        os.close(ours)
    return _COLOUR.sub("", said.decode()).replace("\r\n", "\n")


async def seen(*command: str, columns: int = 80, **environment: str) -> str:
    return await asyncio.to_thread(on_terminal, *command, columns=columns, **environment)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says so when the other side has closed
        return b""
