"""The record as a text that travels with COMMIT: no round trip of its own.

Only the simple protocol takes two statements in one message, and it takes no parameters, so the
values are in the text. They are whole numbers, a UUID and hexadecimal digits: there is nothing in
it that could be mistaken for SQL.
"""

from handfast.services.idempotency.store import Call

CLAIM_LOST = "HF001"  # the SQLSTATE of idempotency.record_or_fail
LAST_WORD_BYTES_MAX = 16 * 1024  # reading a longer text is dearer than a round trip


def record_sql(call: Call, token: int, status: int, packed: bytes | None, *, sealed: bool) -> str:
    response = "NULL" if packed is None else f"E'\\\\x{packed.hex()}'"
    return (
        f"SELECT idempotency.record_or_fail(E'\\\\x{call.scope.hex()}', '{call.key}', "
        f"{token:d}, {status:d}::smallint, {response}, {'true' if sealed else 'false'})"
    )
