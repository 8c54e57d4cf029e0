"""Many made-up people into the database, by COPY: tens of thousands in a second or two.

Answers go into the narrow rows that offers read; the single responses, which only the
questionnaire's own page shows, are three quarters of the work and can be left out.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec

from handfast.apps.people.generator.people import MadeUp, made_up
from handfast.apps.people.questions.packed import pack
from handfast.apps.people.questions.responses import QUESTIONS
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction

PART = 10_000  # people in one transaction

_ACCOUNTS = ("id", "created_at", "last_active_at", "phone")
_USERS = (
    *("id", "created_at", "updated_at", "verified_at", "birth_date", "place_x", "place_y"),
    *("place_z", "latitude", "longitude", "min_age", "max_age", "max_distance_km", "matching"),
    *("questionnaire_done", "gender", "seeking", "relationship_intent", "timezone"),
    *("display_name", "bio", "city", "country"),
)
_ANSWERS = ("user_id", "version", "answers")
_RESPONSES = ("user_id", "question_id", "version", "importance", "answered_at", "answer")

_NOW = statement("people.clock", row=datetime)
_HIGHEST = statement("people.made_up_so_far", row=int)


async def load_people(
    database: Database, count: int, *, seed: int = 1, responses: bool = True
) -> int:
    """That many more of this seed; answers the number of the first one."""
    async with database.connection() as connection:
        now = await _NOW.one(connection)
        first = await _HIGHEST.one(connection, f"+999{seed % 1000:03d}")
    people = made_up(count, seed=seed, now=now, first=first)
    while part := list(islice(people, PART)):
        async with database.transaction() as tx:
            await copy_people(tx, part, now, responses=responses)
    return first


async def copy_people(
    tx: Transaction, people: Sequence[MadeUp], now: datetime, *, responses: bool
) -> None:
    accounts = [(one.id, one.created_at, one.active_at, one.phone) for one in people]
    await _copy(tx, "handfast_identity", "accounts", _ACCOUNTS, accounts)
    await _copy(tx, "handfast_people", "users", _USERS, [_user(one, now) for one in people])
    answered = [one for one in people if one.answers]
    rows = [(one.id, QUESTIONS.version, pack(QUESTIONS, one.packed())) for one in answered]
    await _copy(tx, "handfast_people", "answers", _ANSWERS, rows)
    if responses:
        rows = list(_responses(answered))
        await _copy(tx, "handfast_people", "compatibility_responses", _RESPONSES, rows)


async def _copy(
    tx: Transaction, schema: str, table: str, columns: Sequence[str], rows: Sequence[Any]
) -> None:
    await tx.connection.copy_records_to_table(
        table, schema_name=schema, columns=columns, records=rows
    )


def _user(one: MadeUp, now: datetime) -> tuple[Any, ...]:
    verified_at = one.created_at if one.verified else None
    return (
        *(one.id, one.created_at, now, verified_at, one.birth_date),
        *(one.place.x, one.place.y, one.place.z, one.latitude, one.longitude),
        *(one.min_age, one.max_age, one.distance_km, one.matching, one.done, one.gender),
        *(one.seeking, one.intent, one.city.timezone, one.name, one.bio),
        *(one.city.name, one.city.country),
    )


def _responses(people: Sequence[MadeUp]) -> Iterator[tuple[Any, ...]]:
    for one in people:
        for said in one.answers:
            answer = msgspec.json.encode(said.answer).decode()
            yield (
                *(one.id, said.question.id, QUESTIONS.version, said.importance),
                *(one.created_at, answer),
            )
