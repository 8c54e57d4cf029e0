"""Bodies are read as they are written."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.services.ledger.values import wallet
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.ledger_desk import LedgerDesk
from tests.support.systems import whole_system


@pytest.fixture
async def client(database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    system = whole_system(load_settings(), database, Target(dsn))
    async with calling(create_api(system, OPERATOR_TOKEN), OPERATOR_TOKEN) as client:
        yield client


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("500", "Expected `int`, got `str`"),
        ("5e2", "Expected `int`, got `str`"),
        (True, "Expected `int`, got `bool`"),
        (None, "Expected `int`, got `null`"),
        (500.5, "Expected `int`, got `float`"),
        ([500], "Expected `int`, got `array`"),
    ],
)
async def test_an_amount_is_a_number(
    client: httpx2.AsyncClient, database: Database, amount: Any, said: str
) -> None:
    answer = await client.post(
        "/admin/players/anna/deposits",
        json={"amount": amount},
        headers={"Idempotency-Key": str(uuid4())},
    )
    assert answer.status_code == 400, answer.text
    assert f"amount: {said}" in answer.json()["message"]
    assert await LedgerDesk(database).balance(wallet("anna")) == 0


@pytest.mark.parametrize("fresh", ["true", 1, "1"])
async def test_a_yes_is_a_yes(client: httpx2.AsyncClient, fresh: Any) -> None:
    body = {"url": "https://acme.example", "fresh": fresh}
    answer = await client.post(
        "/api/match/run", json=body, headers={"Idempotency-Key": str(uuid4())}
    )
    assert answer.status_code == 400, answer.text
    assert "fresh: Expected `bool`" in answer.json()["message"]


async def test_a_whole_number_may_be_written_with_a_point(client: httpx2.AsyncClient) -> None:
    """JSON Schema knows no difference, and some languages write it so."""
    answer = await client.post(
        "/admin/players/anna/deposits",
        content=b'{"amount": 500.0}',
        headers={"Idempotency-Key": str(uuid4()), "Content-Type": "application/json"},
    )
    assert (answer.status_code, answer.json()["amount"]) == (201, 500), answer.text
