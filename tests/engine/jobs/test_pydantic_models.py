"""Pydantic models in payloads and results; what nobody can carry is refused when it is declared."""

from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr, computed_field

from handfast import BatchJob, Context, Handfast
from handfast.engine.errors import KindInvalid, PayloadInvalid
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_lowest


class User(BaseModel):
    model_config = ConfigDict(strict=True)
    name: str
    born: date


class Order(msgspec.Struct):
    buyer: User
    others: list[User] = []


ADA = User(name="Ada", born=date(1815, 12, 10))


async def test_models_arrive_as_models(shop: Workers) -> None:
    got: list[Any] = []

    @shop.hf.job("t.models")
    async def models(ctx: Context, user: User, order: Order, maybe: User | None = None) -> User:
        got.append((user, order, maybe))
        return user

    await shop.enqueue(models, "one", user=ADA, order=Order(ADA, [ADA]))
    plain = {"name": "Ada", "born": "1815-12-10"}
    await shop.enqueue(models, "two", user=plain, order={"buyer": plain}, maybe=ADA)
    async with shop.working():
        await shop.drained()
    assert sorted(got, key=lambda one: one[2] is None) == [
        (ADA, Order(ADA), ADA),
        (ADA, Order(ADA, [ADA]), None),
    ]
    results = await shop.column("SELECT result FROM handfast_engine.attempts")
    assert [msgspec.json.decode(one) for one in results] == [plain, plain]


async def test_a_model_that_does_not_fit_is_refused_at_enqueue(shop: Workers) -> None:
    @shop.hf.job("t.models")
    async def models(ctx: Context, user: User) -> None: ...

    with pytest.raises(PayloadInvalid) as refused:
        await shop.enqueue(models, "one", user={"name": 7})
    assert "not a User: name: Input should be a valid string; born: Field required" in str(
        refused.value
    )
    assert "$.user" in str(refused.value)


def test_what_nobody_can_carry_is_refused_at_declaration() -> None:
    hf = Handfast()

    class Mail(msgspec.Struct):
        attached: list[Path]

    with pytest.raises(KindInvalid, match=r"what JSON cannot carry: pathlib\.Path"):

        @hf.job("t.paths")
        async def paths(ctx: Context, mail: Mail) -> None: ...

    with pytest.raises(KindInvalid, match=r"what JSON cannot carry: pathlib\.Path"):

        @hf.batch_job("t.batch", payload=Mail)
        async def many(jobs: list[BatchJob]) -> None: ...

    with pytest.raises(KindInvalid, match=r"not a msgspec\.Struct"):

        @hf.batch_job("t.batch", payload=User)  # type: ignore[arg-type]
        async def users(jobs: list[BatchJob]) -> None: ...


class Renamed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    user_id: int = Field(alias="userId")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def doubled(self) -> int:
        return self.user_id * 2


class Hiding(BaseModel):
    password: SecretStr


class LeavingOut(BaseModel):
    kept: int
    dropped: int = Field(default=0, exclude=True)


async def test_what_is_stored_of_a_model_can_be_read_again(shop: Workers) -> None:
    got: list[Renamed] = []

    @shop.hf.job("t.renamed")
    async def renamed(ctx: Context, user: Renamed) -> None:
        got.append(user)

    await shop.enqueue(renamed, "one", user=Renamed(userId=7))
    await shop.enqueue(renamed, "two", user={"userId": 7})
    async with shop.working():
        await shop.drained()
    assert got == [Renamed(userId=7)] * 2


@pytest.mark.parametrize("model", [Hiding(password=SecretStr("x")), LeavingOut(kept=1, dropped=2)])
async def test_a_model_that_would_come_back_otherwise_is_refused(
    shop: Workers, model: BaseModel
) -> None:
    async def take(ctx: Context, it: Any) -> None: ...

    take.__annotations__["it"] = type(model)
    kind = shop.hf.job("t.lossy")(take)
    with pytest.raises(PayloadInvalid, match="hides a field"):
        await shop.enqueue(kind, "one", it=model)
