"""The ``handfast`` command as a process of its own, without its second of imports.

``run_handfast("jobs", "list", env={…})`` is ``subprocess.run`` of ``python -m handfast jobs list``:
other arguments, environment and folder, its own output and exit code. But the interpreter is a
fork of one that has imported nearly everything already; each test process has such a one, started
when it is first needed. What the start itself does is for tests that really start one.

As a program, ``python -m tests.support.command FD``, it is the one that forks.
"""

import atexit
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
MESSAGE_MAX = 1 << 20
STATUS = 3  # beside standard input, output and error


def run_handfast(
    *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    asked = {"words": words, "cwd": str(cwd or Path.cwd()), "env": {**os.environ, **(env or {})}}
    read_end, write_end = os.pipe()
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        open(os.devnull, "rb") as nothing,  # noqa: PTH123
        os.fdopen(read_end, "rb") as status,
    ):
        fds = [nothing.fileno(), out.fileno(), err.fileno(), write_end]
        socket.send_fds(_nursery(), [json.dumps(asked).encode()], fds)
        os.close(write_end)
        code = int(status.read())
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(
            ["handfast", *words], code, out.read().decode(), err.read().decode()
        )


@cache
def _nursery() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.command", str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        cwd=ROOT,
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait(10)

    atexit.register(end)
    return ours


def _next_command(asking: socket.socket) -> bool:
    """Comes back in a new process for each command, and at the end in the first, without one."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who minds a command tells its end
    while True:
        message, fds, _, _ = socket.recv_fds(asking, MESSAGE_MAX, STATUS + 1)
        if not message:
            return False
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asking.close()
            _mind(fds)
            _become(json.loads(message), fds)
            return True
        for fd in fds:
            os.close(fd)


def _mind(fds: list[int]) -> None:
    """The command is a child of this process, which waits for it and tells how it ended."""
    if (pid := os.fork()) == 0:
        os.close(fds[STATUS])
        return
    _, status = os.waitpid(pid, 0)
    os.write(fds[STATUS], str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(asked: dict[str, object], fds: list[int]) -> None:
    for place, fd in enumerate(fds[:STATUS]):
        os.dup2(fd, place)
        os.close(fd)
    cwd, env, words = asked["cwd"], asked["env"], asked["words"]
    assert isinstance(cwd, str)
    assert isinstance(env, dict)
    assert isinstance(words, list)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.path[0] = cwd  # as for ``python -m``
    sys.argv[1:] = words


def _import_all() -> None:
    """What commands import, except their own modules: those look at the environment, for example
    for the width of the terminal."""
    from handfast.edge import cli

    for module in pkgutil.iter_modules(cli.__path__, f"{cli.__name__}."):
        import_module(module.name)
    for name in [name for name in sys.modules if name.startswith(cli.__name__)]:
        del sys.modules[name]
    del sys.modules["handfast.edge"].cli
    gc.freeze()  # what is shared stays so, at the end of a command too


if __name__ == "__main__":
    _import_all()
    if _next_command(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_module("handfast", run_name="__main__", alter_sys=True)
