"""The built-in provider. **For development only**: it looks at nobody's face.

Every picture passes, except that a tiny one is of too low quality and one of a single colour is not
of a living person, so that failures can be tried too. Production never uses it.
"""

import struct

from handfast.apps.people.verification.provider import (
    ClaimedPerson,
    FailureReason,
    Verdict,
    VerificationStatus,
)

BYTES_MIN_PER_PIXEL = 0.02  # of a JPEG: one of a single colour has less
PIXELS_MIN = 64 * 64


class DevelopmentProvider:
    name = "development"

    async def verify(self, claimed: ClaimedPerson) -> Verdict:
        width, height = jpeg_size(claimed.picture)
        if width * height < PIXELS_MIN:
            return _failed(FailureReason.QUALITY_TOO_LOW)
        if len(claimed.picture) < BYTES_MIN_PER_PIXEL * width * height + 800:
            return _failed(FailureReason.LIVENESS_FAILED)
        return Verdict(VerificationStatus.VERIFIED)


def _failed(reason: FailureReason) -> Verdict:
    return Verdict(VerificationStatus.FAILED, reason)


def jpeg_size(jpeg: bytes) -> tuple[int, int]:
    """Width and height of a JPEG that we have made ourselves, from its frame header."""
    at = 2
    while at < len(jpeg):
        marker, length = struct.unpack_from(">HH", jpeg, at)
        if marker in (0xFFC0, 0xFFC1, 0xFFC2):
            height, width = struct.unpack_from(">HH", jpeg, at + 5)
            return width, height
        at += 2 + length
    raise ValueError("a JPEG without a frame")
