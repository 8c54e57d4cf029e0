"""The same middleware in four frameworks, each served by uvicorn as a user would."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx2
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "idempotency"
APPS = ["starlette_app", "fastapi_app", "litestar_app", "django_app"]


def test_every_app_is_here() -> None:
    assert {file.stem for file in FOLDER.glob("*.py")} == set(APPS)


@pytest.fixture(params=APPS)
def url(request: pytest.FixtureRequest, dsn: str, tmp_path: Path) -> Iterator[str]:
    log = (tmp_path / "log").open("w+")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "uvicorn", "--port", "0", "--app-dir", str(FOLDER)),
            f"{request.param}:app",
        ],
        stderr=log,
        stdout=log,
        env={**os.environ, "DATABASE_URL": dsn, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        yield _address(process, tmp_path / "log")
    finally:
        process.terminate()
        code = process.wait(20)
        log.close()
    said = (tmp_path / "log").read_text()
    assert code in {0, -15}, said
    assert "Traceback" not in said, said


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    import re

    from tests.support.eventually import eventually

    def look() -> str:
        assert process.poll() is None, log.read_text()
        found = re.search(r"running on (http://[\d.:]+)", log.read_text())
        return found[1] if found else ""

    return eventually(look, within=40)


async def test_a_repeated_order_is_one_order(url: str, dsn: str) -> None:
    async with httpx2.AsyncClient(base_url=url, timeout=20) as client:

        async def order(item: str, key: str, user: str = "ada") -> httpx2.Response:
            headers = {"Idempotency-Key": key, "X-User": user}
            return await client.post("/orders", json={"item": item}, headers=headers)

        key = str(uuid4())
        answers = await asyncio.gather(*(order("tea", key) for _ in range(10)))
        assert [a.status_code for a in answers] == [201] * 10, answers[0].text
        assert len({a.content for a in answers}) == 1
        assert sum(a.headers.get("idempotent-replayed") == "true" for a in answers) == 9
        assert (await order("coffee", key)).status_code == 409
        assert (await order("tea", key, "eve")).json()["id"] != answers[0].json()["id"]
        assert (await client.post("/orders", json={"item": "tea"})).status_code in {400, 401}
        assert (await order("tea", "not-a-key")).status_code == 400

        key = str(uuid4())
        refused = [await order("nothing", key) for _ in range(2)]
        assert [a.status_code for a in refused] == [404, 404]
        assert "idempotent-replayed" in refused[1].headers
        assert refused[0].content == refused[1].content

    connection = await asyncpg.connect(dsn)
    items = await connection.fetch("SELECT item FROM example_orders ORDER BY id")
    await connection.close()
    assert [row["item"] for row in items] == ["tea", "tea"]
