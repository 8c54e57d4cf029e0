"""APIs whose routes were put together before.

To assemble the routes of an API takes a fifth of a second, more than most tests that call one. All
that an API of one test does not share with that of another is in its state, and a list of what is
to be closed. So an assembled one is lent to a test, with a new state in it, and afterwards to the
next; two APIs of one test are two.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from litestar import Litestar
from litestar.datastructures import State

from handfast.edge.http import app


class Assembled:
    """What this process has, by the routes in it. They are kept, so that no id is used again."""

    def __init__(self) -> None:
        self._free: dict[tuple[int, ...], list[Litestar]] = defaultdict(list)
        self._kept: list[Any] = []

    @contextmanager
    def lent(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        assemble, lent = app._assemble, []

        def take(routes: list[Any], state: State) -> Litestar:
            key = tuple(map(id, routes))
            if self._free[key]:
                api = self._free[key].pop()
                state["routes"] = api.state["routes"]
                api.state, api.on_shutdown = state, []
            else:
                api = assemble(routes, state)
                self._kept += routes
            lent.append((key, api))
            return api

        monkeypatch.setattr(app, "_assemble", take)
        yield
        for key, api in lent:
            self._free[key].append(api)
