"""Each SQLSTATE of ours means one thing, and is raised by the function that has registered it."""

import re
from pathlib import Path

import handfast
from handfast.apps.runs import urls
from handfast.db.constraints import SQLSTATES
from handfast.db.migrations.files import in_database
from handfast.engine.work import lease
from handfast.services.idempotency.stores import record_with_commit

FUNCTIONS = Path(handfast.__file__).parent / "sql" / "functions"


def test_those_that_are_raised_are_those_that_are_registered() -> None:
    raised = {
        code: f"{in_database(file.relative_to(FUNCTIONS).parts[0])}.{file.stem}"
        for file in FUNCTIONS.rglob("*.sql")
        for code in re.findall(r"ERRCODE = '(HF\d+)'", file.read_text())
    }
    assert len(raised) == 3
    assert raised == SQLSTATES


def test_everybody_has_its_own() -> None:
    ours = (lease.WORKER_LOST, urls.URL_REFUSED, record_with_commit.CLAIM_LOST)
    assert len(set(ours)) == len(ours)
