"""Parts of somebody else's that the settings name, or ours."""

from typing import Any

from handfast.apps.people.photos.folder import FolderStore
from handfast.apps.people.photos.store import PhotoStore
from handfast.apps.people.settings import BUILT_IN, FOLDER, PHOTOS_FOLDER, PeopleSettings
from handfast.apps.people.verification.development import DevelopmentProvider
from handfast.apps.people.verification.provider import VerificationProvider
from handfast.apps.people.verification.review import ManualReview
from handfast.base.errors import SettingsError
from handfast.base.settings import Mode, Settings
from handfast.engine.capability import found


def photo_store(settings: Settings) -> PhotoStore:
    own = settings.of(PeopleSettings)
    if own.photo_store == FOLDER:
        return FolderStore(own.photos_dir or settings.data_dir / PHOTOS_FOLDER)
    made: PhotoStore = _made("HANDFAST_PHOTO_STORE", own.photo_store, settings)
    return made


def verification_provider(settings: Settings) -> VerificationProvider:
    named = settings.of(PeopleSettings).verification_provider
    if named != BUILT_IN:
        made: VerificationProvider = _made("HANDFAST_VERIFICATION_PROVIDER", named, settings)
        return made
    return ManualReview() if settings.mode is Mode.PRODUCTION else DevelopmentProvider()


def _made(variable: str, where: str, settings: Settings) -> Any:
    """Whatever the function answers to the settings."""
    try:
        return found(where)(settings)
    except (ImportError, AttributeError) as error:
        raise SettingsError(
            f"{variable} is {where!r}, and that cannot be imported: {error}.",
            hint="It is module:function, of a module that this process can import.",
        ) from error
