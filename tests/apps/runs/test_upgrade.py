"""A database of the release before, whose functions had other names for their arguments."""

from dataclasses import replace

import asyncpg

from handfast.db.connect import Target
from handfast.db.migrate import migrate
from handfast.db.migration_files import Function, shipped
from handfast.db.pool import Database
from tests.support.corpus import as_role

BEFORE = 14  # migrations: those of the release before, and the record of functions
OLD = """
CREATE OR REPLACE FUNCTION runs.count_matches(p_startup_id text, p_version integer DEFAULT NULL)
RETURNS integer LANGUAGE sql AS 'SELECT -1';
GRANT EXECUTE ON FUNCTION runs.count_matches(text, integer) TO PUBLIC;
"""


async def test_functions_are_made_anew_with_their_rights(empty_dsn: str) -> None:
    ours = shipped()
    old = replace(
        ours,
        migrations=ours.migrations[:BEFORE],
        functions=(Function("runs", "count_matches", OLD),),
    )
    async with await Database.open(Target(empty_dsn)) as database:
        await migrate(database, old)
        await migrate(database)
        async with database.connection() as connection:
            by_name = "SELECT runs.count_matches(startup_id => 'acme')"
            assert await connection.fetchval(by_name) == 0
            public = (
                "SELECT has_function_privilege('public', 'runs.count_matches(text, integer)',"
                " 'EXECUTE')"
            )
            assert not await connection.fetchval(public)
    role = await asyncpg.connect(as_role(empty_dsn))
    try:
        assert await role.fetchval("SELECT runs.count_matches('acme', NULL)") == 0, "by place, too"
    finally:
        await role.close()
