"""Named settings of a user, such as ``notifications``: stored as they are, last write wins."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.people.errors import PreferencesTooMany, ProfileInvalid
from handfast.apps.people.profiles.changing import ensure_user
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.jobs.kinds import as_json

VALUE_BYTES_MAX = 1024  # of JSON: a setting, not a store
PREFERENCES_MAX = 100  # for each user

_NAME = re.compile(r"[a-z][a-zA-Z0-9_.]{0,63}")


class Preference(msgspec.Struct, frozen=True):
    preference: str
    value: str


_ALL = statement("people.preferences", row=Preference)
_PUT = statement("people.put_preferences", row=int)


async def get_preferences(on: Queryable, user_id: UUID) -> dict[str, Any]:
    found = await _ALL.all(on, user_id)
    return {one.preference: msgspec.json.decode(one.value) for one in found}


async def put_preferences(
    tx: Transaction, user_id: UUID, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Those that are named; others stay as they are. Null removes one."""
    encoded = {name: _encoded(name, value) for name, value in sorted(values.items())}
    await ensure_user(tx, user_id)
    count = await _PUT.one(tx, user_id, list(encoded), list(encoded.values()))
    if count > PREFERENCES_MAX:
        raise PreferencesTooMany(
            f"That would make {count} preferences; a user has at most {PREFERENCES_MAX}.",
            hint="Remove some by setting them to null.",
        )
    return await get_preferences(tx, user_id)


def _encoded(name: str, value: Any) -> str | None:
    if not _NAME.fullmatch(name):
        raise ProfileInvalid(
            f"{name[:80]!r} is no name of a preference.",
            hint="A name is at most 64 letters, digits, dots and underscores, and begins with a "
            "small letter.",
        )
    if value is None:
        return None
    try:
        encoded = as_json(value)
    except ValueError as wrong:
        raise ProfileInvalid(f"The value of {name}: {wrong}.") from None
    if len(encoded.encode()) > VALUE_BYTES_MAX:
        raise ProfileInvalid(
            f"The value of {name} has more than {VALUE_BYTES_MAX} bytes as JSON.",
            hint="Keep what is large elsewhere.",
        )
    return encoded
