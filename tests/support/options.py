"""The options of ``./run test``.

A plugin that pytest's settings name, and not the conftest: that is found by the paths of tests that
were typed, and until an option is known its value may pass for one (``--seasons FOLDER``).
"""

from pathlib import Path

import pytest

from tests.support import chance
from tests.support.programs import OPTIONAL


def pytest_addoption(parser: pytest.Parser) -> None:
    chance.add_option(parser)
    parser.addoption(
        "--without",
        action="append",
        default=[],
        choices=sorted(OPTIONAL),
        help="leave out the tests that need this program (never in CI)",
    )
    parser.addoption(
        "--chaos-seconds",
        type=float,
        default=None,
        help="let tests/crash/test_chaos.py kill for this long, instead of just long enough",
    )
    parser.addoption(
        "--bulk-letters",
        type=int,
        default=5000,
        help="so many dead letters in tests/engine/operating/bulk; 100000 take some minutes",
    )
    parser.addoption(
        "--double-loop",
        type=int,
        default=160,
        metavar="PEOPLE",
        help="compare rounds of so many people with plain loops over all pairs; 2000 takes minutes",
    )
    parser.addoption(
        "--stakes-operations",
        type=int,
        default=None,
        help="let tests/properties/test_stakes_machine.py try so many operations",
    )
    parser.addoption(
        "--stakes-crashes",
        type=int,
        default=2,
        help="let tests/crash/test_stakes_postgres_crash.py crash PostgreSQL so often",
    )
    parser.addoption(
        "--offers-users",
        type=int,
        default=2000,
        help="so many people in tests/crash/test_offers.py; 20000 take some minutes",
    )
    parser.addoption(
        "--streams",
        type=int,
        default=200,
        help="so many streams in tests/edge/chat/test_many_streams.py; 1000 take two minutes",
    )
    parser.addoption(
        "--browser-tasks",
        default="",
        metavar="NAME,...",
        help="only those tasks of tests/dashboard/test_pages.py whose names begin so",
    )
    parser.addoption(
        "--browser-slowdown",
        type=int,
        default=1,
        metavar="TIMES",
        help="let the browser's processor be so many times slower there",
    )
    parser.addoption(
        "--seasons",
        type=Path,
        default=None,
        metavar="DIR",
        help="also run the tests that need real seasons: a folder of football.json files",
    )
