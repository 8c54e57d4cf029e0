"""``handfast webhooks inbox-sql``: the table that a receiver needs."""

import sys
from typing import Annotated

from cyclopts import Parameter

from handfast.base.errors import InvalidRequest
from handfast.services.webhooks.receiving.inbox import TABLE, webhooks_inbox_ddl

TableName = Annotated[str, Parameter(help="Its name, with a schema before it if you like.")]


def inbox_sql(*, table: TableName = TABLE) -> None:
    """Print the statements that make a receiver's inbox, for your own migrations."""
    try:
        sys.stdout.write(webhooks_inbox_ddl(table))
    except ValueError as wrong:
        raise InvalidRequest(f"{wrong}.") from wrong
