"""Which of two versions of Handfast is the newer."""

import re

_VERSION = re.compile(r"(\d+(?:\.\d+)*)[-._]?(dev|a|b|rc|post)?[-._]?(\d*)")
_STAGES = ("dev", "a", "b", "rc", None, "post")  # None: the release itself

Version = tuple[tuple[int, ...], int, int]


def parsed(version: str) -> Version:
    """Something that compares as versions do: 0.2.0rc1 comes before 0.2.0, and 0.2 is 0.2.0."""
    found = _VERSION.match(version)
    if found is None:
        return (), 0, 0  # nobody's version of ours; older than all of them
    release = [int(part) for part in found[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), _STAGES.index(found[2]), int(found[3] or 0)
