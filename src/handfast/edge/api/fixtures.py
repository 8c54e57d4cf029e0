"""Fixtures that are brought in."""

from typing import Annotated

import msgspec
from msgspec.structs import replace

from handfast.apps.fixtures.answers import FixtureDetail, FixturePage, FixtureWithSteps, StepView
from handfast.apps.fixtures.formats.posted import MATCHES_MAX, PostedCompetition, PostedFixture
from handfast.base.text import NO_NUL
from handfast.edge.api.viewing import masked, shown_fields

Source = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=100,
        pattern=NO_NUL,
        description="Under which name your names of teams are looked up.",
    ),
]


class NewFixtures(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Fixtures, new or known, and what is to be known of their competitions."""

    fixtures: Annotated[list[PostedFixture], msgspec.Meta(max_length=MATCHES_MAX)]
    competitions: Annotated[list[PostedCompetition], msgspec.Meta(max_length=1000)] = []
    source: Source = "api"


# Of what steps have made; fixtures themselves are public facts.
_RESULT_FIELDS = frozenset({"away", "awayGoals", "draw", "home", "homeGoals", "model"})


def fixtures_for_viewers(page: FixturePage) -> FixturePage:
    return replace(
        page, fixtures=[FixtureWithSteps(one.fixture, _steps(one.steps)) for one in page.fixtures]
    )


def fixture_for_viewers(found: FixtureDetail) -> FixtureDetail:
    results = {step: shown_fields(made, _RESULT_FIELDS) for step, made in found.results.items()}
    return replace(found, steps=_steps(found.steps), results=results)


def _steps(steps: list[StepView]) -> list[StepView]:
    return [replace(step, reason=masked(step.reason)) for step in steps]
