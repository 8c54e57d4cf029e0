"""Kills are tried on a disk, not in memory."""

from tests.support.folders import tmp_path_on_disk

__all__ = ["tmp_path_on_disk"]
