from collections.abc import AsyncIterator

import pytest

from tests.support.scripted_receiver import ScriptedReceiver, open_receiver


@pytest.fixture
async def sink() -> AsyncIterator[ScriptedReceiver]:
    async with open_receiver() as sink:
        yield sink
