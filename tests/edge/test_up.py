"""``handfast up`` as a process: ready, killed, started again, stopped."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from handfast.base.errors import SettingsError
from handfast.db.embedded import status
from handfast.wiring import ADMIN_TOKEN_FILE
from tests.support.command import run_handfast
from tests.support.embedded import fetch
from tests.support.eventually import eventually
from tests.support.folders import tmp_path_on_disk
from tests.support.up import Up

tmp_path = tmp_path_on_disk  # kills are tried on a disk, not in memory


def get(url: str) -> tuple[int, str]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, answer.read().decode()


def is_ready(up: Up) -> bool:
    try:
        return get(f"{up.url}/ready")[0] == 200
    except OSError:
        return False


def servers_of(folder: Path) -> list[psutil.Process]:
    """Every process that still has to do with the data folder."""
    return [
        process
        for process in psutil.process_iter(["name", "cmdline"])
        if str(folder) in " ".join(process.info["cmdline"] or ())
    ]


@pytest.mark.long
def test_kill_and_start_again_and_again(tmp_path: Path) -> None:
    """Ten times, without the rest of it: tests/db/embedded/test_embedded.py."""
    folder = tmp_path / "data"
    for round_number in range(3):
        with Up(folder) as up:
            eventually(partial(is_ready, up))  # its workers may begin a moment later
            if round_number == 0:
                write(folder, "CREATE TABLE public.kept (n int)")
            write(folder, f"INSERT INTO public.kept VALUES ({round_number})")
            up.kill()
        eventually(lambda: not servers_of(folder), within=60)
    count = psql(folder, "SELECT count(*), sum(n) FROM public.kept")
    assert count == "3|3"


def write(folder: Path, sql: str) -> None:
    """Into the running server, without a share of one's own and without another process."""
    running = status(folder)
    assert running is not None
    asyncio.run(fetch(f"postgresql://handfast_owner@/handfast?host={running.socket_dir}", sql))


def psql(folder: Path, sql: str) -> str:
    done = run_handfast("psql", "--data-dir", str(folder), "-qAtc", sql)
    done.check_returncode()
    return done.stdout.strip()


def register(up: Up, key: str) -> dict[str, Any]:
    """A webhook endpoint, by the operator's token that was made."""
    token = (up.data_dir / ADMIN_TOKEN_FILE).read_text().strip()
    request = urllib.request.Request(
        f"{up.url}/webhooks/endpoints",
        b'{"url": "https://shop.example.com/hook"}',
        {"Authorization": f"Bearer {token}", "Idempotency-Key": key},
    )
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 201
        made: dict[str, Any] = json.load(answer)
        return made


@pytest.mark.long
def test_sigterm_is_a_clean_end_and_what_was_made_is_kept(tmp_path: Path) -> None:
    folder, key = tmp_path / "data", str(uuid4())
    with Up(folder) as up:
        made = register(up, key)
        assert register(up, key) == made, "in development answers with secrets are kept too"
        assert "hf_admin_" in up.stderr, "in development the token is made and printed"
        assert "_created" not in get(f"{up.url}/metrics")[1]
        assert up.stop() == 0
    eventually(lambda: not servers_of(folder))
    with Up(folder) as again:
        assert again.stderr.count("hf_admin_") == 1, "printed once, and never again"
        assert register(again, key) == made


@pytest.mark.long
def test_a_killed_database_comes_back_under_a_running_up(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with Up(folder) as up:
        for process in servers_of(folder):
            words, name = process.info["cmdline"], process.info["name"]
            if "guardian" in " ".join(words) or "postgres" in name:
                with suppress(psutil.NoSuchProcess):  # without its guardian it ends by itself
                    process.kill()
        eventually(partial(is_ready, up))


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [
                *(sys.executable, "-m", "handfast", "up", "--port", str(port)),
                *("--data-dir", str(tmp_path / "data")),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 4
    assert f"Port {port} on 127.0.0.1 is taken" in done.stderr
    assert f"--port {port + 1}" in done.stderr
    assert not (tmp_path / "data").exists(), "nothing was begun"


def test_production_wants_a_secret_for_kept_answers(tmp_path: Path) -> None:
    """Before anything is started, and only where it is needed."""
    production = {"HANDFAST_MODE": "production", "HANDFAST_ADMIN_TOKEN": "t" * 40}
    folder = tmp_path / "data"
    done = subprocess.run(
        [sys.executable, "-m", "handfast", "up", "--port", "0", "--data-dir", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **production},
    )
    assert done.returncode == SettingsError.exit_code
    assert "HANDFAST_IDEMPOTENCY_SECRET is not set" in done.stderr
    assert not folder.exists()
