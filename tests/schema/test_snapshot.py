import pytest

from tests.support.snapshot import FILE, take

pytestmark = pytest.mark.on_every_postgres


def test_the_snapshot_is_up_to_date() -> None:
    """Run ./run snapshot after a change in sql/, and read the difference in the review."""
    assert FILE.read_text() == take()
