"""Text as numbers: names in one spelling, and the words of a pitch or a thesis as a few buckets.

Words fall into a fixed number of buckets by a checksum, so that there is no vocabulary to build, to
keep or to agree on. Two words in one bucket count as the same: with a thousand buckets and the
twenty or so words that a thesis has, that is rare, and it is the same on every machine.
"""

import re
import zlib
from collections.abc import Iterable

BUCKETS = 1024

_WORD = re.compile(r"[^\W\d_]{3,}")
_BETWEEN = re.compile(r"[\s_\-/]+")
# Words that every thesis has, and that say nothing of what it is about.
_COMMON_WORDS = """about across all and any are back based build building businesses business can
    companies company early enable enables for founders from fund has have help helps ideas into
    invest investing investors its led make makes more most new not one our over people platform
    product products series stage startup startups than that the their them they this through use
    using want was way we what when where which who will with world you your"""
_COMMON = frozenset(_COMMON_WORDS.split())


def normal(name: str) -> str:
    """One spelling for one name: ``Series A``, ``series_a`` and ``series-a`` are the same."""
    return _BETWEEN.sub("-", name.strip().casefold())


def normals(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(normal(name) for name in names if name.strip()))


def words(text: str) -> set[str]:
    """The words that say something, in the singular as far as an s tells."""
    found = _WORD.findall(text.casefold())
    said = {word for word in found if word not in _COMMON}
    return {word[:-1] if word.endswith("s") and len(word) > 4 else word for word in said}


def buckets(text: str) -> list[int]:
    """The buckets of a text's words, each once, in order."""
    return sorted({zlib.crc32(word.encode()) % BUCKETS for word in words(text)})


def weights(documents: Iterable[list[int]]) -> list[int]:
    """How much a bucket says: the more, the fewer texts have it. Whole numbers, by halving."""
    counts, total = [0] * BUCKETS, 0
    for document in documents:
        total += 1
        for bucket in document:
            counts[bucket] += 1
    return [max(1, (total // count).bit_length()) if count else 1 for count in counts]
