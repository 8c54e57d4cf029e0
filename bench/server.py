"""An embedded PostgreSQL that lives as long as a bench."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from handfast.db.embedded import EmbeddedServer


@contextmanager
def fresh_server(settings: Mapping[str, str] | None = None) -> Iterator[EmbeddedServer]:
    """In a folder of its own. A server that leaves still writes there: the folder is removed when
    it is gone, also if the bench is cut off by Ctrl-C."""
    with tempfile.TemporaryDirectory(prefix="handfast-bench-") as folder:
        server = EmbeddedServer(Path(folder), settings=settings)
        try:
            server.start()
            yield server
        finally:
            server.stop(wait=True)
