"""Package docstrings are maps: they name what is in the package, each on a line, and nothing else.

A line of a map is a name, two spaces or more, and what it is for; what does not fit goes on below,
indented. Lines without an empty one between them are one block, and a block is part of the map
when it names anything of the package: so a docstring may explain other words in the same form.
"""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "handfast"
PACKAGES = sorted(
    file.parent
    for file in PACKAGE.rglob("__init__.py")
    if any(part.name not in ("__init__.py", "__pycache__") for part in file.parent.iterdir())
)
MODULES_MAX = 12  # more than a person takes in at a glance
FLAT = re.compile(r"^Flat because \w.{20,}", re.MULTILINE)
LINE = re.compile(r"^ *(\w+)/? {2,}\S")


def package_name(package: Path) -> str:
    return ".".join(package.relative_to(PACKAGE.parent).parts)


def docstring(package: Path) -> str:
    return ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""


def modules(package: Path) -> set[str]:
    return {file.stem for file in package.glob("*.py") if not file.stem.startswith("__")}


def folders(package: Path) -> set[str]:
    """Those with anything in them: what moved away leaves its compiled files behind."""
    files = (file.relative_to(package) for file in package.rglob("*") if file.is_file())
    return {
        file.parts[0] for file in files if len(file.parts) > 1 and "__pycache__" not in file.parts
    }


def to_be_named(package: Path) -> set[str]:
    """Modules and sub-packages; of a package without either (``sql``) its folders."""
    packages = {name for name in folders(package) if (package / name / "__init__.py").exists()}
    return modules(package) | packages or folders(package)


def mapped(package: Path) -> list[str]:
    """What the map names, in its order."""
    there = modules(package) | folders(package) | {file.stem for file in package.iterdir()}
    blocks = re.split(r"\n\s*\n", docstring(package))
    named = [[found[1] for line in b.splitlines() if (found := LINE.match(line))] for b in blocks]
    return [name for block in named if there & set(block) for name in block]


def test_the_packages_are_found() -> None:
    assert len(PACKAGES) > 35


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_the_docstring_names_what_is_there(package: Path) -> None:
    named = mapped(package)
    there = modules(package) | folders(package) | {file.stem for file in package.iterdir()}
    assert to_be_named(package) - set(named) == set(), "these are there, and have no line"
    assert set(named) - there == set(), "these have a line, and are not there"
    assert len(set(named)) == len(named), "something has two lines"


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_many_modules_have_a_second_level_or_a_reason(package: Path) -> None:
    """A second level: its own line begins with "Flat because" where a package does without."""
    reason = FLAT.search(docstring(package))
    assert bool(reason) == (len(modules(package)) > MODULES_MAX), sorted(modules(package))
