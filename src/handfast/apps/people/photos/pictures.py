"""Pictures are checked and made anew in a helper process with limits of memory and time.

One process for one picture: what a decoder does to itself ends with it. A few at once in each of
our processes, and a short queue; whoever comes when that is full is told to come again. Of one user
one at a time, and not the whole queue: a few small files can be made to take all the time there is,
and would keep everybody else out.
"""

import asyncio
import struct
import sys
from collections import Counter, defaultdict
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from handfast.apps.people.errors import PhotosBusy, PhotoTooLarge, PhotoUnreadable
from handfast.apps.people.photos import remake_picture
from handfast.base.extras import require
from handfast.base.logs import get_logger

PICTURE_BYTES_MAX = 10 * 1024 * 1024
PIXELS_MAX = 40_000_000
FULL_PIXELS = 2048  # the longest side of what is kept: more than a phone shows
THUMBNAIL_PIXELS = 320
MEMORY_BYTES_MAX = 900 * 1024 * 1024  # 40 MP with transparency, twice over, and the program itself
CPU_SECONDS_MAX = 15
SECONDS_MAX = 30.0  # by the clock on the wall: the machine may be busy
AT_ONCE = 2
QUEUE_MAX = 16
OF_ONE_USER_MAX = 10  # in the queue: nine photos at once, and one too many
SCANS_MAX = 500  # of a JPEG; cameras make ten. Each one goes over the whole picture

_PROGRAM = str(Path(remake_picture.__file__))
_KINDS = {b"\xff\xd8\xff": "JPEG", b"\x89PNG\r\n\x1a\n": "PNG", b"RIFF": "WebP"}

log = get_logger(__name__)


class Picture(NamedTuple):
    width: int
    height: int
    jpeg: bytes


class Pictures:
    """The helper's queue in this process."""

    def __init__(self) -> None:
        require("people", "PIL")
        self._places = asyncio.Semaphore(AT_ONCE)
        self._here: Counter[UUID | None] = Counter()  # by user
        self._lines: defaultdict[UUID, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def remade(
        self, sent: bytes, longest: int = FULL_PIXELS, *, whose: UUID | None = None
    ) -> Picture:
        """The picture, with nothing but the picture in it. Refuses what is none. ``whose`` None is
        our own work, which nobody waits for."""
        check_bytes(sent)
        if self._here.total() >= AT_ONCE + QUEUE_MAX:
            raise _busy("Too many pictures are being checked.")
        if whose is not None and self._here[whose] >= OF_ONE_USER_MAX:
            raise _busy("Too many of your pictures are being checked.")
        self._here[whose] += 1
        try:
            async with nullcontext() if whose is None else self._lines[whose], self._places:
                return await _helped(sent, longest)
        finally:
            self._left(whose)

    def _left(self, whose: UUID | None) -> None:
        self._here[whose] -= 1
        if not self._here[whose]:
            del self._here[whose]
            if whose is not None:
                self._lines.pop(whose, None)


def check_bytes(sent: bytes) -> None:
    """By size and by how it begins, before a process is started for it."""
    if len(sent) > PICTURE_BYTES_MAX:
        raise PhotoTooLarge(
            f"The picture has {len(sent):,} bytes; at most {PICTURE_BYTES_MAX:,} are taken.",
            hint="Send a smaller one.",
        )
    kind = next((kind for start, kind in _KINDS.items() if sent.startswith(start)), None)
    if kind is None or (kind == "WebP" and sent[8:12] != b"WEBP"):
        raise _unreadable()
    # Entropy-coded bytes never hold this pair; what lies around the picture may, now and then.
    if kind == "JPEG" and sent.count(b"\xff\xda") > SCANS_MAX:
        raise _unreadable()


async def _helped(sent: bytes, longest: int) -> Picture:
    limits = (longest, PIXELS_MAX, MEMORY_BYTES_MAX, CPU_SECONDS_MAX)
    helper = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", _PROGRAM, *map(str, limits)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(SECONDS_MAX):
            answer, _ = await helper.communicate(sent)
    except TimeoutError:
        raise _busy("The picture was not checked in time.") from None
    finally:
        if helper.returncode is None:
            helper.kill()
            await helper.wait()
    return _read(helper.returncode, answer)


def _read(code: int | None, answer: bytes) -> Picture:
    if code == remake_picture.TOO_MANY_PIXELS:
        raise PhotoTooLarge(
            f"The picture has more than {PIXELS_MAX // 1_000_000} megapixels.",
            hint="Send a smaller one.",
        )
    if code != 0:
        log.info("picture_refused", code=code)
        raise _unreadable()
    width, height = struct.unpack_from(">II", answer)
    return Picture(width, height, answer[8:])


def _unreadable() -> PhotoUnreadable:
    return PhotoUnreadable(
        "What was sent is no JPEG, PNG or WebP that can be decoded.",
        hint="What counts is the content, not the name. Save it as a JPEG and send that.",
    )


def _busy(detail: str) -> PhotosBusy:
    return PhotosBusy(detail, hint="Send it again in a moment.", retry_after=5)
