"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

DataDir = Annotated[
    Path | None,
    Parameter(help="Where the embedded PostgreSQL keeps its data (HANDFAST_DATA_DIR)."),
]
AppName = Annotated[str | None, Parameter(help="Your program, as module:attribute (HANDFAST_APP).")]
INTEGER_MAX = 2**31 - 1  # of PostgreSQL's: beyond it nothing can be asked for
Limit = Annotated[
    int,
    Parameter(help="At most so many.", validator=validators.Number(gte=1, lte=INTEGER_MAX)),
]
Json = Annotated[
    bool, Parameter(name="--json", negative=(), help="Print JSON for programs instead of text.")
]
