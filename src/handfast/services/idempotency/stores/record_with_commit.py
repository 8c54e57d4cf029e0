"""The record as a text that travels with COMMIT: no round trip of its own.

Only the simple protocol takes two statements in one message, and it takes no parameters, so the
values are in the text. They are whole numbers, a UUID and hexadecimal digits: there is nothing in
it that could be mistaken for SQL. The statement itself is prepared, where connections last.
"""

from types import NoneType

from handfast.db.constraints import sqlstate
from handfast.db.open_transaction import Prepared
from handfast.db.statements import statement
from handfast.services.idempotency.stores.store import Call

CLAIM_LOST = sqlstate("HF003", "handfast_idempotency.record_or_fail")
RECORD_WITH_COMMIT_BYTES_MAX = 16 * 1024  # reading a longer text is dearer than a round trip


RECORD = Prepared(
    "handfast_idempotency_record", statement("idempotency.record_or_fail", row=NoneType).sql
)
UNPREPARED = "SELECT handfast_idempotency.record_or_fail"


def record_sql(
    call: Call,
    token: int,
    status: int,
    packed: bytes | None,
    *,
    sealed: bool,
    is_prepared: bool = False,
) -> str:
    response = "NULL" if packed is None else f"E'\\\\x{packed.hex()}'"
    return (
        f"{f'EXECUTE {RECORD.name}' if is_prepared else UNPREPARED}("
        f"E'\\\\x{call.scope.hex()}', '{call.key}', {token:d}, {status:d}::smallint, {response}, "
        f"{'true' if sealed else 'false'})"
    )
