"""What is switched on brings what it requires, in one fixed order."""

import pytest

from handfast.engine.capability import Capability, each, found, switched_on
from handfast.engine.errors import CapabilityUnknown

LEDGER = Capability("ledger", "Money.", schemas=("ledger",))
IDENTITY = Capability("identity", "Accounts.", schemas=("identity",), errors="json")
STAKES = Capability(
    "stakes", "A queue.", requires=("ledger", "identity"), schemas=("stakes",), errors="json:loads"
)
RUNS = Capability("runs", "Match runs.")
KNOWN = (LEDGER, IDENTITY, STAKES, RUNS)


def test_all_of_them_by_default() -> None:
    assert switched_on(KNOWN, None).names == ("ledger", "identity", "stakes", "runs")


def test_one_brings_what_it_requires_in_the_order_of_the_list() -> None:
    on = switched_on(KNOWN, ["stakes"])
    assert on.names == ("ledger", "identity", "stakes")
    assert on.schemas == ("ledger", "identity", "stakes")
    assert "ledger" in on
    assert "runs" not in on


def test_none_of_them() -> None:
    assert switched_on(KNOWN, []).names == ()


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(CapabilityUnknown, match="no capability 'steaks'") as refused:
        switched_on(KNOWN, ["steaks"])
    assert "ledger, identity, stakes, runs" in str(refused.value)


def test_parts_are_imported_when_they_are_asked_for() -> None:
    import json

    assert found("json") is json
    assert each(KNOWN, "errors") == {"identity": json, "stakes": json.loads}
