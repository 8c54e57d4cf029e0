"""Options that several commands share."""

from datetime import datetime
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
Competition = Annotated[str | None, Parameter(help="Only this competition, such as en.1.")]
From = Annotated[
    datetime | None, Parameter(name="--from", help="Only kickoffs then or later, in UTC.")
]
To = Annotated[datetime | None, Parameter(name="--to", help="Only kickoffs before, in UTC.")]
