"""Settings of safety."""

from handfast.base.settings import Section, setting


class SafetySettings(Section):
    safety_restraint_reporters: int = setting(
        3,
        "how many different people must report somebody before they are offered to nobody until an "
        "operator has decided; 0 switches that off",
        allowed="0 to 1000",
        example="5",
        ge=0,
        le=1000,
    )
    safety_restraint_hours: int = setting(
        24,
        "within how many hours they must have done so",
        allowed="1 to 8760",
        example="48",
        ge=1,
        le=8760,
    )
