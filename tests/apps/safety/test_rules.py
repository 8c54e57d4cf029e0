"""Severity, by itself."""

from itertools import product

from handfast.apps.safety.rules import (
    ANSWERED_WITHIN,
    AT_LEAST,
    Decision,
    ReportCategory,
    Severity,
    may_be_appealed,
    severity_of,
)


def test_a_report_is_never_less_severe_than_said_or_than_its_category() -> None:
    for category, asked in product(ReportCategory, [None, *Severity]):
        hours = ANSWERED_WITHIN[severity_of(category, asked)]
        assert hours <= ANSWERED_WITHIN[AT_LEAST.get(category, Severity.STANDARD)]
        assert asked is None or hours <= ANSWERED_WITHIN[asked]


def test_what_the_reporter_says_counts() -> None:
    assert severity_of(ReportCategory.SCAM, Severity.HIGH) is Severity.HIGH
    assert severity_of(ReportCategory.SCAM, None) is Severity.STANDARD
    assert severity_of(ReportCategory.CHILD_SAFETY, Severity.STANDARD) is Severity.CRITICAL


def test_a_dismissal_is_against_nobody() -> None:
    assert {one for one in Decision if not may_be_appealed(one)} == {Decision.DISMISS}
