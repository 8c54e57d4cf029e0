"""Chance that can be had again.

``./run test`` leaves nothing to chance: properties are tried with the same examples every time.
``--random-seed new`` tries all of them with other ones and says the seed; ``--random-seed 1234``
is that run again.
"""

import random
import secrets
from typing import Any

import pytest
from hypothesis import HealthCheck, core, settings
from hypothesis.internal.conjecture import providers

SEED_ALWAYS = "1"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--random-seed",
        default=None,
        metavar="new|SEED",
        help="try properties with examples of a random seed, which is printed, or of this one",
    )


def configure(config: pytest.Config) -> None:
    """Before any test module is imported. The first process chooses for all of them."""
    asked: str | None = config.getoption("--random-seed")
    if told := getattr(config, "workerinput", None):
        asked = told["random_seed"]
    if asked == "new":
        asked = str(secrets.randbelow(2**32))
    if asked is not None and not asked.isdecimal():
        raise pytest.UsageError(f"--random-seed is {asked!r}: give a whole number, or 'new'")
    config.option.random_seed = asked
    settings.register_profile(
        "handfast",
        derandomize=asked is None,
        database=None,  # what failed once would be tried first, and the seed would not tell all
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],  # neither says anything on a busy machine
    )
    settings.load_profile("handfast")
    # It takes constants from the modules that happen to be loaded, and so depends on which tests
    # ran before in this process.
    providers.is_local_module_file = lambda _path: False  # type: ignore[assignment, attr-defined]
    if asked is not None:
        core.global_force_seed = int(asked)  # type: ignore[assignment]


def tell_process(node: Any) -> None:
    """A process of pytest-xdist, which sees only what was typed."""
    node.workerinput["random_seed"] = node.config.option.random_seed


def seed_of(config: pytest.Config) -> str:
    seed: str | None = config.option.random_seed
    return seed or SEED_ALWAYS


def chance_of(config: pytest.Config, test: str) -> random.Random:
    """What a test may leave to chance: the same every time, unless another seed is asked for."""
    return random.Random(f"{seed_of(config)} {test}")  # noqa: S311


def describe(config: pytest.Config) -> str | None:
    seed: str | None = config.option.random_seed
    return seed and f"random seed {seed}: ./run test --random-seed {seed} has the same examples"
