"""Where the tests keep their files: in memory if there is room, and on the disk if it matters.

A database is some 500 files. Making them costs a disk's file system more than most tests cost
themselves: 350 ms of processor time for a clone on ext4, where memory takes 25.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes its folder there, as in /tmp
ROOM_BYTES = 6 << 30  # the largest tests, all at once, took 1.6 GB


def memory_has_room(folder: Path = MEMORY, room: int = ROOM_BYTES) -> bool:
    """Whether a whole run fits, and may run the programs that some tests write there."""
    if not os.access(folder, os.W_OK):
        return False
    mounted = os.statvfs(folder)
    free = min(mounted.f_bavail * mounted.f_frsize, psutil.virtual_memory().available)
    return free >= room and not mounted.f_flag & os.ST_NOEXEC


@pytest.fixture(name="tmp_path")
def tmp_path_on_disk(request: pytest.FixtureRequest) -> Iterator[Path]:
    """For what is about crashes: a folder on the disk, whose commits take as long as anywhere.

    It stays if the test fails, as pytest's own does.
    """
    folder = Path(tempfile.mkdtemp(prefix="handfast-test-"))
    failures = request.session.testsfailed
    yield folder
    if request.session.testsfailed == failures:
        shutil.rmtree(folder, ignore_errors=True)
