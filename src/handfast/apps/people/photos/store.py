"""Where files of users are kept: a small interface, so that a bucket can take a folder's place.

Every file lies under its user, so that erasing one user cannot take another's file. Names are made
by us: an id and what it is. To plug in another store see docs/guides/people-plug-ins.md.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID


class StoredFile(NamedTuple):
    user_id: UUID
    name: str  # such as ``<photo id>.full.jpg``
    modified_at: datetime


class PhotoStore(Protocol):
    async def put(self, user_id: UUID, name: str, content: bytes) -> None:
        """Whole or not at all; over what has that name already."""

    async def get(self, user_id: UUID, name: str) -> bytes | None:
        """None if there is no such file."""

    async def remove(self, user_id: UUID, name: str) -> None:
        """What is not there is not missed."""

    async def remove_all(self, user_id: UUID) -> None:
        """Every file of this user."""

    def files(self) -> AsyncIterator[StoredFile]:
        """All of them, in any order."""


def full(photo: UUID) -> str:
    return f"{photo}.full.jpg"


def thumbnail(photo: UUID) -> str:
    return f"{photo}.thumbnail.jpg"


def verification(session: UUID) -> str:
    return f"{session}.verification.jpg"


def export(export_id: UUID) -> str:
    return f"{export_id}.export.zip"


def id_of(name: str) -> UUID | None:
    """The id that a name of ours begins with; None if it is not one of ours."""
    try:
        return UUID(name.partition(".")[0])
    except ValueError:
        return None
