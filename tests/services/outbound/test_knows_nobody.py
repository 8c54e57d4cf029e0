"""Whoever asks other servers does so through one service, which knows nothing of what for."""

import re
from pathlib import Path

from handfast.services import outbound

# But for the map, which names its callers.
MODULES = [path for path in Path(outbound.__file__).parent.glob("*.py") if path.stem != "__init__"]


def test_no_word_of_its_callers() -> None:
    assert len(MODULES) >= 7
    for path in MODULES:
        assert not re.findall(r"(?i)webhook|endpoint|deliver|fixture", path.read_text()), path.name
