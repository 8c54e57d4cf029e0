"""The files of these tests are on a disk, whatever the others do."""

from pathlib import Path

from tests.support.folders import MEMORY


def test_not_in_memory(tmp_path: Path) -> None:
    assert not tmp_path.is_relative_to(MEMORY)
