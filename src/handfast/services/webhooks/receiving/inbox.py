"""The receiver's memory: which events it has handled, in its own database.

The record is made in the transaction that does the work, so both commit or neither does: a crash
before the commit leaves no record, and the sender's next attempt is handled. Two deliveries of
one event at the same moment meet at the primary key; the second waits for the first to commit and
then is a duplicate, or takes its place if it rolled back.

The table belongs to the receiver, whose database is not Handfast's, so no migration of ours makes
it: ``webhooks_inbox_ddl`` gives the statements to whatever makes the receiver's other tables.
"""

import re
from typing import Any

from handfast.services.webhooks.receiving.inbox_drivers import record_with

TABLE = "handfast_webhooks_inbox"
KEPT_DAYS = 7  # the sender goes on for one day, and people replay for seven
# With each new event up to so many old ones go: more than come in, and never much at once.
PURGED_AT_ONCE_MAX = 10
EVENT_ID_LENGTH_MAX = 200

# A table's name cannot be a parameter, so it is one that needs no quotes.
_TABLE_NAME = re.compile(r"([a-z_][a-z0-9_]{0,40}\.)?[a-z_][a-z0-9_]{0,40}")

_DDL = """\
CREATE TABLE IF NOT EXISTS {table} (
    receiver    text        NOT NULL,
    event_id    text        NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (receiver, event_id)
);
CREATE INDEX IF NOT EXISTS {index} ON {table} (received_at);
"""

# The event itself is left out of what is purged: one statement must not delete the row that it
# runs into. A row that is past its days but still there counts; longer than promised is no harm.
_RECORD = """\
WITH old AS MATERIALIZED (
    SELECT receiver, event_id FROM {table}
    WHERE received_at < clock_timestamp() - make_interval(days => {days}) AND event_id <> {{id}}
    ORDER BY received_at LIMIT {limit} FOR UPDATE SKIP LOCKED
), purged AS (
    DELETE FROM {table} AS inbox USING old
    WHERE inbox.receiver = old.receiver AND inbox.event_id = old.event_id
)
INSERT INTO {table} (receiver, event_id) VALUES ({{receiver}}, {{id}})
ON CONFLICT (receiver, event_id) DO NOTHING
RETURNING true
"""


class WebhookInbox:
    """Remembers for seven days which events were handled.

    ``receiver`` tells apart several receivers that share a database: each handles each event.
    """

    __slots__ = ("_record", "receiver", "table")

    def __init__(self, receiver: str = "default", *, table: str = TABLE) -> None:
        self.receiver = receiver
        self.table = _usable(table)
        self._record = _RECORD.format(table=table, days=KEPT_DAYS, limit=PURGED_AT_ONCE_MAX)

    async def record(self, tx: Any, event_id: str) -> bool:
        """Remember the event in the caller's transaction; ``False`` if it was there already.

        ``tx`` is a transaction of Handfast, an asyncpg or psycopg (async) connection inside a
        transaction, or an async session or connection of SQLAlchemy.
        """
        if not 1 <= len(event_id) <= EVENT_ID_LENGTH_MAX:
            raise ValueError(f"an event id has 1 to {EVENT_ID_LENGTH_MAX} characters")
        return await record_with(tx, self._record, self.receiver, event_id)


def webhooks_inbox_ddl(table: str = TABLE) -> str:
    """The statements that make the inbox's table; they may be run again."""
    return _DDL.format(table=_usable(table), index=f"{table.rpartition('.')[2]}_received_at")


def _usable(table: str) -> str:
    if not _TABLE_NAME.fullmatch(table):
        raise ValueError(
            f"{table!r} cannot be the inbox's table: small letters, digits and underscores, "
            "with a schema and a dot before if you like"
        )
    return table
