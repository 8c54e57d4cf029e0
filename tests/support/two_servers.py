"""Two server processes on one database: ``handfast api``, as somebody would start it, twice."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.calling import OPERATOR_TOKEN
from tests.support.signed_in import TEST_SECRET
from tests.support.up import READY

COMMAND = [sys.executable, "-m", "handfast", "api", "--port", "0"]


@contextmanager
def two_servers(dsn: str, folder: Path, **environment: str) -> Iterator[tuple[str, str]]:
    """Their addresses. They share the secrets, and the folder in which pictures are kept."""
    settings = {
        "DATABASE_URL": dsn,
        "HANDFAST_ADMIN_TOKEN": OPERATOR_TOKEN,
        "HANDFAST_IDENTITY_SECRET": TEST_SECRET,
        "HANDFAST_IDEMPOTENCY_SECRET": "s" * 40,
        "HANDFAST_DATA_DIR": str(folder),
    }
    started = [
        subprocess.Popen(
            COMMAND,
            env={**os.environ, **settings, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    try:
        first, second = (_address(one) for one in started)
        yield first, second
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait(60)
            assert one.stdout is not None
            one.stdout.close()


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(READY), line
    return line.removeprefix(READY).strip()
