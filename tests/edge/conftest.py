from collections.abc import Iterator

import pytest

from tests.support.assembled import Assembled

_ASSEMBLED = Assembled()


@pytest.fixture(autouse=True)
def _assembled_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Routes are put together once in each test process; every API has a state of its own."""
    with _ASSEMBLED.lent(monkeypatch):
        yield
