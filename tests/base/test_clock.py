from datetime import UTC

from handfast.base.clock import utc_now


def test_instants_are_aware() -> None:
    assert utc_now().tzinfo is UTC
