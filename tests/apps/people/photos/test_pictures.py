"""Pictures are made anew in a helper with limits; nothing else of what was sent is left."""

import asyncio
import io
from pathlib import Path
from uuid import uuid4

import pytest
from PIL import Image

from handfast.apps.people.errors import (
    PhotoError,
    PhotosBusy,
    PhotoTooLarge,
    PhotoUnreadable,
)
from handfast.apps.people.photos import pictures, remake_picture
from handfast.apps.people.photos.pictures import (
    OF_ONE_USER_MAX,
    PICTURE_BYTES_MAX,
    Picture,
    Pictures,
)
from tests.support.pictures import (
    encoded,
    noise,
    photo,
    png_of_size,
    png_with_secrets,
    polyglot,
    scanned_over_and_over,
    with_secrets,
)

MARKER = "MARKER-52.5200N-13.4050E"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
async def test_three_kinds_become_a_jpeg(kind: str) -> None:
    made = await Pictures().remade(photo(kind=kind))
    assert (made.width, made.height) == (160, 120)
    with Image.open(io.BytesIO(made.jpeg)) as read:
        assert (read.format, read.mode, read.size) == ("JPEG", "RGB", (160, 120))


async def test_nothing_but_the_picture_is_left() -> None:
    for sent in (with_secrets(MARKER), png_with_secrets(MARKER)):
        assert MARKER.encode() in sent
        made = await Pictures().remade(sent)
        assert MARKER.encode() not in made.jpeg
        with Image.open(io.BytesIO(made.jpeg)) as read:
            assert not read.getexif()
            assert not {"comment", "icc_profile", "exif"} & set(read.info)


async def test_a_picture_that_lies_on_its_side_is_put_upright() -> None:
    made = await Pictures().remade(with_secrets(MARKER))
    assert (made.width, made.height) == (120, 160)


async def test_what_hangs_behind_a_picture_is_gone() -> None:
    made = await Pictures().remade(polyglot())
    assert b"PK\x03\x04" not in made.jpeg
    assert b"<script>" not in made.jpeg


async def test_a_large_one_becomes_smaller() -> None:
    made = await Pictures().remade(encoded(noise(4000, 1000)))
    assert (made.width, made.height) == (2048, 512)


async def test_what_can_be_seen_through_is_white() -> None:
    clear = Image.new("RGBA", (64, 64), (255, 0, 0, 0))
    made = await Pictures().remade(encoded(clear, "PNG"))
    with Image.open(io.BytesIO(made.jpeg)) as read:
        assert read.getpixel((32, 32)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"", PhotoUnreadable),
        (b"GIF89a" + bytes(100), PhotoUnreadable),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", PhotoUnreadable),
        (b"%PDF-1.7", PhotoUnreadable),
        (b"\xff\xd8\xff" + bytes(200), PhotoUnreadable),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), PhotoUnreadable),
        (b"RIFF\x00\x00\x00\x00WAVE" + bytes(50), PhotoUnreadable),
        (photo()[:700], PhotoUnreadable),  # cut off
        (encoded(noise(), "GIF"), PhotoUnreadable),
        (encoded(noise(), "TIFF"), PhotoUnreadable),
        (b"\xff\xd8\xff" + bytes(PICTURE_BYTES_MAX), PhotoTooLarge),
        (png_of_size(8000, 5001), PhotoTooLarge),
        (png_of_size(60_000, 60_000), PhotoTooLarge),  # 3.6 gigapixels in a few bytes
        (png_of_size(2**31 - 1, 2**31 - 1), PhotoError),
    ],
)
async def test_what_is_refused(sent: bytes, error: type[PhotoError]) -> None:
    with pytest.raises(error):
        await Pictures().remade(sent)


async def test_a_jpeg_of_a_thousand_scans() -> None:
    """A hundred kilobytes that would take half a minute: each scan goes over all of it."""
    assert (await Pictures().remade(scanned_over_and_over(20))).width == 160
    with pytest.raises(PhotoUnreadable):
        await Pictures().remade(scanned_over_and_over(1000))


async def test_the_helper_has_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that needs more than there is ends the helper, and nobody else."""
    monkeypatch.setattr(pictures, "MEMORY_BYTES_MAX", 60 * 1024 * 1024)
    with pytest.raises(PhotoUnreadable):
        await Pictures().remade(encoded(noise(3000, 3000), quality=10))


async def test_the_helper_has_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "SECONDS_MAX", 0.0)
    with pytest.raises(PhotosBusy):
        await Pictures().remade(photo())


async def test_few_at_once_and_a_short_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "QUEUE_MAX", 1)
    queue = Pictures()
    waiting = [asyncio.create_task(queue.remade(photo(seed))) for seed in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(PhotosBusy):
        await queue.remade(photo(9))
    assert len(await asyncio.gather(*waiting)) == 3


async def test_one_user_cannot_keep_the_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever they send: here pictures that nobody gets to the end of."""
    mallory, ada = uuid4(), uuid4()
    end = asyncio.Event()
    at_work: list[bytes] = []

    async def helped(sent: bytes, longest: int) -> Picture:
        at_work.append(sent)
        if sent == slow:
            await end.wait()
        return Picture(1, 1, b"")

    monkeypatch.setattr(pictures, "_helped", helped)
    slow, here = photo(1), Pictures()
    many = [asyncio.create_task(here.remade(slow, whose=mallory)) for _ in range(OF_ONE_USER_MAX)]
    await asyncio.sleep(0)
    with pytest.raises(PhotosBusy, match="of your pictures"):
        await here.remade(slow, whose=mallory)
    for _ in range(3):
        await asyncio.wait_for(here.remade(photo(2), whose=ada), 60)
    assert at_work.count(slow) == 1
    end.set()
    await asyncio.gather(*many)
    await here.remade(slow, whose=mallory)


def test_the_helper_knows_nothing_of_handfast() -> None:
    program = Path(remake_picture.__file__).read_text()
    assert "import handfast" not in program
    assert "from handfast" not in program
