"""Settings of webhooks."""

from handfast.base.settings import YES_NO, Section, setting


class WebhooksSettings(Section):
    webhooks_allow_private: bool = setting(
        False,
        "deliver webhooks to private and loopback addresses too: for development only",
        allowed=YES_NO,
        example="true",
    )
    webhooks_disable_days: int = setting(
        5,
        "days of nothing but failure after which an endpoint is disabled",
        allowed="a whole number from 1 to 365",
        example="5",
        ge=1,
        le=365,
    )
