"""Pictures for tests, made here: small ones, broken ones, dangerous ones."""

import io
import random
import struct
import zlib
from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngInfo


def noise(width: int = 160, height: int = 120, seed: int = 1) -> Image.Image:
    """Something that does not compress to nothing, as a photo does not."""
    size = (width // 4, height // 4)
    pixels = random.Random(seed).randbytes(size[0] * size[1] * 3)  # noqa: S311
    return Image.frombytes("RGB", size, pixels).resize((width, height))


def encoded(image: Image.Image, kind: str = "JPEG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def photo(seed: int = 1, kind: str = "JPEG") -> bytes:
    return encoded(noise(seed=seed), kind)


def flat(seed: int = 1) -> bytes:
    """One colour: the development provider takes it for no living person."""
    return encoded(Image.new("RGB", (400, 300), (seed % 256, 10, 200)))


def tiny() -> bytes:
    return encoded(noise(16, 16))


def with_secrets(marker: str) -> bytes:
    """A JPEG that says where it was taken, in every place where one can say it."""
    exif = Image.Exif()
    exif[0x010E] = marker  # description
    exif[0x0112] = 6  # turned to the right
    exif.get_ifd(0x8825)[1] = marker  # GPS
    return encoded(noise(), exif=exif, comment=marker.encode(), icc_profile=marker.encode() * 40)


def png_with_secrets(marker: str) -> bytes:
    said = PngInfo()
    said.add_text("Comment", marker)
    said.add_itxt("Location", marker)
    return encoded(noise().convert("RGBA"), "PNG", pnginfo=said)


def png_of_size(width: int, height: int) -> bytes:
    """A PNG that claims to be of this size, and is a few bytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(1 << 20), 9)  # of which nobody reads more than the head
    magic = b"\x89PNG\r\n\x1a\n"
    return magic + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def polyglot() -> bytes:
    """A JPEG, and an archive and a page behind it."""
    return photo() + b"PK\x03\x04<html><script>alert(1)</script>"


def scanned_over_and_over(times: int) -> bytes:
    """A progressive JPEG whose last scan comes again and again."""
    sent = encoded(noise(), progressive=True)
    last = sent.rindex(b"\xff\xda")
    tables = sent.rindex(b"\xff\xc4", 0, last)
    return sent[:-2] + sent[tables:-2] * times + sent[-2:]
