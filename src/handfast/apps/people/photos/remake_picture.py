"""The helper's program: one picture comes in, one JPEG goes out, with nothing else in it.

Run as a file of its own, in a process with little memory and little time, because decoders of
pictures are where strangers' bytes do harm. Imports nothing of Handfast. What it says by its exit
code: 0 well, 3 no picture that we read, 4 too many pixels; anything else is a crash.

    remake_picture.py LONGEST_SIDE PIXELS_MAX MEMORY_BYTES CPU_SECONDS < picture > answer

The answer is width and height of the new picture, four bytes each, and the JPEG.
"""

import io
import os
import resource
import struct
import sys

UNREADABLE, TOO_MANY_PIXELS = 3, 4
FORMATS = ("JPEG", "PNG", "WEBP")
QUALITY = 85


def main() -> int:
    longest, pixels_max, memory, seconds = (int(one) for one in sys.argv[1:5])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # writes no file
    os.nice(5)  # whoever waits for an answer without a picture goes first
    sent = sys.stdin.buffer.read()
    try:
        made = remade(sent, longest, pixels_max)
    except TooManyPixels:
        return TOO_MANY_PIXELS
    except Exception as why:  # a decoder may raise anything
        sys.stderr.write(f"{type(why).__name__}\n")
        return UNREADABLE
    sys.stdout.buffer.write(made)
    sys.stdout.buffer.flush()
    return 0


class TooManyPixels(Exception):
    pass


def remade(sent: bytes, longest: int, pixels_max: int) -> bytes:
    # After the limits are set, and nowhere else in Handfast.
    from PIL import Image, ImageOps  # noqa: PLC0415

    Image.MAX_IMAGE_PIXELS = None  # it would only warn: we look ourselves
    with Image.open(io.BytesIO(sent), formats=FORMATS) as found:
        if found.width * found.height > pixels_max:
            raise TooManyPixels
        found.draft("RGB", (longest, longest))  # a JPEG decodes to an eighth, if that is enough
        found.load()
        upright = ImageOps.exif_transpose(found)
    upright.thumbnail((longest, longest))
    layer = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    # Into a new picture: a re-saved one keeps comments and profiles.
    fresh = Image.new("RGB", layer.size, "white")
    fresh.paste(layer, mask=layer if layer.mode == "RGBA" else None)
    out = io.BytesIO()
    fresh.save(out, "JPEG", quality=QUALITY, optimize=True)
    return struct.pack(">II", *fresh.size) + out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
