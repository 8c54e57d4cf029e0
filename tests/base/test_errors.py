"""The error tree: each leaf is complete, and the drawing at the top is true."""

import re
from pathlib import Path

import pytest

from handfast.base import errors
from handfast.base.errors import HandfastError
from handfast.base.problems import Problem
from tests.support.error_tree import every_error, written

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"


OURS = (errors.SettingsError, errors.MachineError, errors.DatabaseError, errors.MigrationError)


@pytest.mark.parametrize("error", every_error(), ids=lambda e: e.__name__)
def test_each_error_is_complete(error: type[HandfastError]) -> None:
    assert re.fullmatch(r"[A-Z][A-Z_]+", error.code)
    assert error.title
    assert not error.title.endswith(".")
    assert 400 <= error.status < 600
    assert 1 <= error.exit_code < 64
    assert f"`{error.code}`" in DOCS.read_text(), "docs/reference/errors.md has no entry for it"


def test_codes_are_unique() -> None:
    codes = [error.code for error in every_error()]
    assert sorted(codes) == sorted(set(codes))


def test_the_tree_in_the_documentation_is_the_every_error() -> None:
    """If not: ``./run snapshot``."""
    page = DOCS.read_text()
    assert "<!-- the tree -->" in page
    assert written(page) == page


def test_a_room_that_has_errors_has_a_module_for_them() -> None:
    homes = {error.__module__ for error in every_error()}
    assert {home for home in homes if not home.endswith(".errors")} == set()


def test_an_error_says_what_happened_and_what_to_do() -> None:
    error = errors.NotFound("There is no job 7.", hint="List them: handfast jobs.")
    assert str(error) == "There is no job 7. List them: handfast jobs."
    assert error.type == "urn:handfast:problem:not-found"


@pytest.mark.parametrize(
    "error",
    [error for error in every_error() if issubclass(error, OURS) and error.status >= 500],
    ids=lambda e: e.__name__,
)
def test_strangers_are_not_told_where_things_are(error: type[HandfastError]) -> None:
    """A problem document goes to anybody; the address and the advice are for the log."""
    raised = error("No connection to postgresql://u@db.internal/x.", hint="Check DATABASE_URL.")
    told = str(Problem.of(raised))
    assert "internal" not in told
    assert "DATABASE_URL" not in told
    assert "db.internal" in str(raised), "the operator still is"
