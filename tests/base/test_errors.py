"""The error tree: each leaf is complete, and the drawing at the top is true."""

import inspect
import re
from pathlib import Path

import pytest

from handfast.base import errors
from handfast.base.errors import HandfastError

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"


OURS = (errors.SettingsError, errors.MachineError, errors.DatabaseError, errors.MigrationError)


def tree() -> list[type[HandfastError]]:
    found: list[type[HandfastError]] = []
    todo = [HandfastError]
    while todo:
        error = todo.pop()
        found.append(error)
        todo.extend(error.__subclasses__())
    return [error for error in found if error.__module__.startswith("handfast")]


@pytest.mark.parametrize("error", tree(), ids=lambda e: e.__name__)
def test_each_error_is_complete(error: type[HandfastError]) -> None:
    assert re.fullmatch(r"[A-Z][A-Z_]+", error.code)
    assert error.title
    assert not error.title.endswith(".")
    assert 400 <= error.status < 600
    assert 1 <= error.exit_code < 64
    assert f"`{error.code}`" in DOCS.read_text(), "docs/reference/errors.md has no entry for it"


def test_codes_are_unique() -> None:
    codes = [error.code for error in tree()]
    assert sorted(codes) == sorted(set(codes))


def test_the_drawing_names_every_error() -> None:
    drawing = inspect.getdoc(errors) or ""
    drawn = set(re.findall(r"[├└]── (\w+)", drawing)) | {"HandfastError"}
    assert drawn == {error.__name__ for error in tree() if error.__module__ == errors.__name__}


def test_an_error_says_what_happened_and_what_to_do() -> None:
    error = errors.NotFound("There is no job 7.", hint="List them: handfast jobs.")
    assert str(error) == "There is no job 7. List them: handfast jobs."
    assert error.type == "urn:handfast:problem:not-found"


@pytest.mark.parametrize(
    "error",
    [error for error in tree() if issubclass(error, OURS) and error.status >= 500],
    ids=lambda e: e.__name__,
)
def test_strangers_are_not_told_where_things_are(error: type[HandfastError]) -> None:
    """A problem document goes to anybody; the address and the advice are for the log."""
    raised = error("No connection to postgresql://u@db.internal/x.", hint="Check DATABASE_URL.")
    told = str(raised.as_problem())
    assert "internal" not in told
    assert "DATABASE_URL" not in told
    assert "db.internal" in str(raised), "the operator still is"
