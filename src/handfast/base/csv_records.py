"""CSV as RFC 4180 has it, in UTF-8: records with the lines they end in, the broken ones too."""

import csv
import io
from collections.abc import Generator, Sequence
from typing import BinaryIO

FIELD_BYTES_MAX = 200_000  # a quote that nobody closes must not swallow the rest of the file

Record = tuple[int, Sequence[str] | None, str]  # line; fields, or None and the reason

csv.field_size_limit(max(csv.field_size_limit(), FIELD_BYTES_MAX))


def csv_records(raw: BinaryIO) -> Generator[Record, None, None]:
    """Every record, the header too. Closes ``raw`` at the end."""
    # Bytes that are no UTF-8 are let through as what cannot be encoded again, so that they make
    # one bad row and not the end of the file.
    with io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        reader = csv.reader(text, strict=True)
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield reader.line_num, None, str(error)
            else:
                yield reader.line_num, row, ""
