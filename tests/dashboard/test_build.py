"""The built files are those of the sources: looked up in the record, since building takes a while.

``./run check`` builds again and compares every byte.
"""

import gzip
import json
import re
from typing import Any

import pytest

from tests.support.dashboard import BUILT, PAGES, RECORD, TYPES, built_files, record_of, types

KIB = 1000
FIRST_LOAD_MAX = 170 * KIB  # gzipped: what a page loads before any route of its own
AGAIN = "./run dashboard builds them anew; commit what it writes"


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((BUILT / RECORD).read_text())
    return found


def test_it_was_built_from_these_sources(record: dict[str, Any]) -> None:
    assert record["sources"] == record_of(built_files())["sources"], AGAIN


def test_nobody_has_edited_what_was_built(record: dict[str, Any]) -> None:
    assert record["files"] == record_of(built_files())["files"], AGAIN


@pytest.mark.needs("npm")
def test_the_types_are_what_the_api_describes() -> None:
    assert types() == TYPES.read_text(), AGAIN


@pytest.mark.parametrize("page", PAGES)
def test_the_first_load_is_small(page: str) -> None:
    loaded = re.findall(r'(?:src|href)="/dashboard/(assets/[^"]+)"', (BUILT / page).read_text())
    assert any(name.endswith(".js") for name in loaded)
    files = built_files()
    size = sum(len(gzip.compress(files[name], 9, mtime=0)) for name in loaded)
    assert 40 * KIB < size <= FIRST_LOAD_MAX, f"{page} loads {size} bytes"


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_inline(page: str) -> None:
    """The policy would not run it: scripts and styles come from files, by names with a hash."""
    text = (BUILT / page).read_text()
    assert not re.search(r"<style|<script(?![^>]* src=)|\son\w+=|style=", text)
    for address in re.findall(r'(?:src|href)="([^"]+)"', text):
        assert re.fullmatch(r"/dashboard/assets/[\w.-]+-[\w-]{8}\.\w+", address)
