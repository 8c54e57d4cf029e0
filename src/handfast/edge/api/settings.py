"""Settings, as they may be shown."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from handfast.base.masking import MASK
from handfast.base.settings import Settings, about, is_set, shown, variable_name


class SettingShown(msgspec.Struct, rename="camel"):
    """One variable of the environment. Secrets are masked; null is not set."""

    name: str
    value: str | None
    source: Literal["environment", "default"]
    about: str
    allowed: str
    example: str


class SettingList(msgspec.Struct, rename="camel"):
    settings: list[SettingShown]


def settings_shown(settings: Settings) -> list[SettingShown]:
    kind = type(settings)
    return [
        SettingShown(
            name=variable_name(field, kind),
            value=shown(settings, field),
            source="environment" if is_set(field, kind) else "default",
            **about(field, kind),
        )
        for field in kind.model_fields
    ]


def settings_for_viewers(answer: SettingList) -> SettingList:
    """Which there are and what they mean; values name hosts, folders and people's tokens."""
    return SettingList(
        [replace(one, value=None if one.value is None else MASK) for one in answer.settings]
    )
