"""What we keep about one user, for their copy: their own, and nothing of others but ids.

Not who reported them, nor what others wrote about them. Other capabilities add what they keep
(``personal_data`` of a capability).
"""

from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.people.profiles.changing import get_user
from handfast.apps.people.profiles.preferences import get_preferences
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

_MORE = statement("people.own_data", row=str)


async def own_data(on: Queryable, user_id: UUID) -> dict[str, Any]:
    return {
        "user": await get_user(on, user_id),
        "preferences": await get_preferences(on, user_id),
        **msgspec.json.decode(await _MORE.one(on, user_id)),
    }
