"""Who would find our names without having asked: refused by migrate, told by doctor."""

import asyncio
import json
from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.errors import SearchPathUnsafe
from handfast.db.migrations.migrate import migrate
from handfast.db.migrations.search_path import reaching_paths
from handfast.db.pool import Database
from tests.edge.test_engine_cli import handfast
from tests.support.corpus_rows import as_role
from tests.support.embedded import BIN_DIR

pytestmark = pytest.mark.on_every_postgres


@pytest.fixture
async def admin(empty_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(empty_dsn)
    yield connection
    await connection.close()


@pytest.fixture
async def login(admin: asyncpg.Connection) -> AsyncIterator[str]:
    """A login that may make schemas here."""
    name = f"login_{uuid4().hex[:8]}"
    await admin.execute(f"CREATE ROLE {name} LOGIN")
    await admin.execute(f"GRANT CREATE ON DATABASE {await here(admin)} TO {name}")
    yield name
    await admin.execute(f"DROP OWNED BY {name} CASCADE")
    await admin.execute(f"DROP ROLE {name}")


async def here(admin: asyncpg.Connection) -> str:
    return str(await admin.fetchval("SELECT quote_ident(current_database())"))


async def refused(dsn: str) -> str:
    async with await Database.open(Target(dsn)) as database:
        with pytest.raises(SearchPathUnsafe) as error:
            await migrate(database)
        async with database.connection() as connection:
            made = await connection.fetchval("SELECT to_regnamespace('handfast_db') IS NULL")
    assert made, "nothing was changed"
    return str(error.value)


def remedies(said: str) -> list[str]:
    return [
        f"{one};" for one in said.partition("has to run: ")[2].split(";") if " search_path" in one
    ]


@pytest.mark.parametrize(
    "setting",
    [
        'ALTER ROLE {login} IN DATABASE {here} SET search_path = public, "handfast"',
        "ALTER DATABASE {here} SET search_path = handfast",
    ],
)
async def test_a_setting_that_reaches_us(
    empty_dsn: str, admin: asyncpg.Connection, login: str, setting: str
) -> None:
    await admin.execute(setting.format(login=login, here=await here(admin)))
    await refused_until_remedied(as_role(empty_dsn, login), admin)


async def refused_until_remedied(dsn: str, admin: asyncpg.Connection) -> None:
    """And what is advised is enough."""
    said = await refused(dsn)
    assert "Nothing was changed." in said
    for statement in remedies(said):
        await admin.execute(statement)
    async with await Database.open(Target(dsn)) as database:
        await migrate(database, schemas=["webhooks"])


def test_a_setting_in_all_databases(tmp_path_factory: pytest.TempPathFactory) -> None:
    """On a server of its own: in every other database, too, a doctor would tell of it."""
    folder = tmp_path_factory.mktemp("own")
    with EmbeddedServer(folder, bin_dir=BIN_DIR) as server:
        asyncio.run(_set_in_all_databases(server.dsn("postgres")))
    server.stop(wait=True)


async def _set_in_all_databases(dsn: str) -> None:
    admin = await asyncpg.connect(dsn)
    try:
        await admin.execute("CREATE ROLE login LOGIN")
        await admin.execute(f"GRANT CREATE ON DATABASE {await here(admin)} TO login")
        await admin.execute("ALTER ROLE login SET search_path = handfast, public")
        await refused_until_remedied(as_role(dsn, "login"), admin)
    finally:
        await admin.close()


async def test_the_address_itself(empty_dsn: str) -> None:
    said = await refused(f"{empty_dsn}&options=-csearch_path%3Dhandfast")
    assert "Take search_path out of the options of DATABASE_URL" in said


async def test_somebody_elses_own_choice_is_theirs(
    empty_dsn: str, admin: asyncpg.Connection, login: str
) -> None:
    await admin.execute(
        f"ALTER ROLE {login} IN DATABASE {await here(admin)} SET search_path = handfast"
    )
    async with await Database.open(Target(empty_dsn)) as database:
        await migrate(database)
        async with database.connection() as connection:
            [told] = [one for one in await reaching_paths(connection) if one.login == login]
    assert not told.is_refused
    done = await handfast(empty_dsn, "doctor", "--json")
    found = {one["check"]: one for one in json.loads(done.stdout)["findings"]}["search path"]
    assert found["verdict"] == "note"
    assert login in found["found"]


def test_a_role_called_like_the_schema(tmp_path_factory: pytest.TempPathFactory) -> None:
    """On a server of its own: roles are the server's, and this one would trouble everybody."""
    folder = tmp_path_factory.mktemp("own")
    with EmbeddedServer(folder, bin_dir=BIN_DIR) as server:
        asyncio.run(_called_like_the_schema(server.dsn()))
    server.stop(wait=True)


async def _called_like_the_schema(dsn: str) -> None:
    admin = await asyncpg.connect(dsn)
    try:
        await admin.execute("CREATE ROLE handfast LOGIN")
        said = await refused(dsn)
        assert "the login handfast is called like the schema" in said
        done = await handfast(dsn, "doctor", "--json")
        found = {one["check"]: one for one in json.loads(done.stdout)["findings"]}["search path"]
        assert (found["verdict"], "ALTER ROLE handfast" in found["advice"]) == ("note", True)
        assert (await handfast(dsn, "migrate", "--check")).returncode == 6
        for statement in remedies(said):
            await admin.execute(statement)
        async with await Database.open(Target(dsn)) as database:
            await migrate(database)
    finally:
        await admin.close()
