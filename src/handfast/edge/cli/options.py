"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

DataDir = Annotated[
    Path | None,
    Parameter(help="Where the embedded PostgreSQL keeps its data (HANDFAST_DATA_DIR)."),
]
AppName = Annotated[str | None, Parameter(help="Your program, as module:attribute (HANDFAST_APP).")]
Limit = Annotated[int, Parameter(help="At most so many.")]
Json = Annotated[
    bool, Parameter(name="--json", negative=(), help="Print JSON for programs instead of text.")
]
