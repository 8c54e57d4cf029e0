"""Where the tests keep their files: memory is taken when it has room, and never by mistake."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import memory_has_room


def test_memory_without_room_is_left_alone(tmp_path: Path) -> None:
    assert memory_has_room(tmp_path, room=1)
    assert not memory_has_room(tmp_path, room=1 << 60)


def test_a_machine_without_such_a_folder(tmp_path: Path) -> None:
    assert not memory_has_room(tmp_path / "missing", room=1)


@pytest.mark.on_linux
@pytest.mark.parametrize(("options", "fits"), [("size=1m", True), ("size=1m,noexec", False)])
def test_a_folder_that_runs_no_programs_will_not_do(
    tmp_path: Path, options: str, fits: bool
) -> None:
    """Some tests write programs and run them."""
    script = f'mount -t tmpfs -o {options} tmpfs "$1" && exec "$2" -c "$3" "$1"'
    ask = "from tests.test_folders import *; print(memory_has_room(Path(sys.argv[1]), room=1))"
    said = subprocess.check_output(
        [
            *("unshare", "--user", "--map-root-user", "--mount"),
            *("sh", "-c", script, "sh", tmp_path, sys.executable, ask),
        ],
        text=True,
    )
    assert said == f"{fits}\n"
