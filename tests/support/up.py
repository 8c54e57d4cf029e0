"""``handfast up`` as a process of its own, as a user would start it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

READY = "Handfast is ready at "


class Up:
    """A running ``handfast up``; use as a context manager."""

    def __init__(self, data_dir: Path, *arguments: str, **environment: str) -> None:
        self.data_dir = data_dir
        self._log = data_dir.parent / f"{data_dir.name}.stderr"
        self._arguments = arguments
        self._environment = environment
        self.url = ""

    def __enter__(self) -> Self:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "handfast", "up", "--port", "0"),
                    *("--data-dir", str(self.data_dir), *self._arguments),
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **self._environment},
            )
        assert self.process.stdout is not None
        try:
            line = self.process.stdout.readline()
            assert line.startswith(READY), f"it said {line!r}, and {self.stderr}"
        except BaseException:  # a test's time limit too: nothing of it stays behind
            self.kill()
            raise
        self.url = line.removeprefix(READY).strip()
        return self

    @property
    def stderr(self) -> str:
        return self._log.read_text()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self._reap()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def _reap(self) -> int:
        code = self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.stop()
