"""Which keys are keys."""

from uuid import UUID, uuid1, uuid4

import pytest

from handfast.db.pool import Database
from handfast.services.idempotency.errors import IdempotencyKeyMalformed
from handfast.services.idempotency.keys import parse_key, read_key, sent_keys
from tests.support.keyed_shop import open_shop

GOOD = "5f0c9c1e-6d4e-4a53-9a3f-0e8f8c5b7d21"

MALFORMED = {
    "empty": "",
    "a space": " ",
    "not a uuid": "order-7",
    "version 1": str(uuid1()),
    "version 7": "01890a5d-ac96-774b-bcce-b302099a8057",
    "nil": "00000000-0000-0000-0000-000000000000",
    "max": "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "another variant": "5f0c9c1e-6d4e-4a53-1a3f-0e8f8c5b7d21",
    "urn": f"urn:uuid:{GOOD}",
    "braces": f"{{{GOOD}}}",
    "quotes": f'"{GOOD}"',
    "no hyphens": GOOD.replace("-", ""),
    "hyphens elsewhere": "5f0c9c1e6-d4e-4a53-9a3f-0e8f8c5b7d21",
    "too short": GOOD[:-1],
    "too long": GOOD + "0",
    "a line end": GOOD + "\n",
    "two in one": f"{GOOD}, {uuid4()}",
    "not hexadecimal": GOOD.replace("f", "g"),
    "full-width digits": GOOD.replace("5", "\uff15"),
    "a megabyte": "a" * 1_000_000,
}


@pytest.mark.parametrize("value", MALFORMED.values(), ids=MALFORMED)
def test_malformed(value: str) -> None:
    with pytest.raises(IdempotencyKeyMalformed) as refused:
        parse_key(value.encode())
    assert len(str(refused.value)) < 500, "what was sent is not sent back"


def test_either_case_is_the_same_key() -> None:
    assert parse_key(GOOD.encode()) == parse_key(GOOD.upper().encode()) == UUID(GOOD)


def test_repeated() -> None:
    header = (b"idempotency-key", GOOD.encode())
    assert read_key(sent_keys([header])) == UUID(GOOD)
    assert read_key(sent_keys([(b"other", b"x")])) is None
    with pytest.raises(IdempotencyKeyMalformed, match="2 times"):
        read_key(sent_keys([header, header]))


async def test_each_is_a_problem_and_executes_nothing(database: Database) -> None:
    async with open_shop(database) as shop:
        for value in MALFORMED.values():
            sent = [(b"x-user", b"ada"), (b"idempotency-key", value.encode())]
            answer = await shop.client.post("/orders", headers=sent, content=b"{}")
            assert answer.status_code == 400
            assert answer.json()["code"] == "IDEMPOTENCY_KEY_MALFORMED"
            optional = await shop.client.post("/elsewhere", headers=sent, content=b"{}")
            assert optional.status_code == 400, "an optional key is not an arbitrary one"
        twice = [(b"x-user", b"ada"), *[(b"idempotency-key", GOOD.encode())] * 2]
        assert (await shop.client.post("/orders", headers=twice)).status_code == 400
        assert shop.calls == []
