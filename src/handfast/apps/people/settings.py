"""Settings of people."""

import re
from pathlib import Path

from pydantic import field_validator

from handfast.base.settings import Section, setting

FOLDER = "folder"
PHOTOS_FOLDER = "photos"  # in the data folder
BUILT_IN = "built-in"

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class PeopleSettings(Section):
    photo_store: str = setting(
        FOLDER,
        "where photos are kept: folder, or a store of your own",
        allowed="folder, or module:function of your own, which answers a store",
        example="shop.photos:bucket",
    )
    photos_dir: Path | None = setting(
        None,
        "the folder of photos; all processes must see the same one. By default it is in the data "
        "folder",
        allowed="a path",
        example="/srv/handfast/photos",
    )
    verification_provider: str = setting(
        BUILT_IN,
        "who verifies people: built-in passes everybody in development, and in production leaves "
        "each to an operator",
        allowed="built-in, or module:function of your own, which answers a provider",
        example="shop.verification:provider",
    )

    @field_validator("photo_store", "verification_provider")
    @classmethod
    def _is_ours_or_a_function(cls, value: str) -> str:
        if value not in (FOLDER, BUILT_IN) and _FUNCTION.fullmatch(value) is None:
            raise ValueError("neither one of ours nor module:function")
        return value
