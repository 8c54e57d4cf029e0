"""What the routes share in one process: the photo store, the helper for pictures, who verifies, and
who says that one user is shown to another."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from handfast.apps.people.photos.photos import IsShown
from handfast.apps.people.photos.pictures import Pictures
from handfast.apps.people.photos.store import PhotoStore
from handfast.apps.people.plugins import photo_store, verification_provider
from handfast.apps.people.verification.provider import VerificationProvider
from handfast.engine.capability import each
from handfast.engine.host import Host
from handfast.engine.system import System


@dataclass(frozen=True)
class People:
    store: PhotoStore
    provider: VerificationProvider
    shown: Sequence[IsShown] = ()
    pictures: Pictures = field(default_factory=Pictures)

    async def close(self) -> None:
        """Nothing is left open."""


def people_of(system: System, host: Host | None = None) -> People:
    return People(
        photo_store(system.settings),
        verification_provider(system.settings),
        list(each(system.capabilities.on, "shows_people").values()),
    )
