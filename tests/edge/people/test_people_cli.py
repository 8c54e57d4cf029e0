"""``handfast people``."""

import json
import zipfile
from pathlib import Path

import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.wiring import load_settings
from tests.edge.test_engine_cli import handfast
from tests.support.signed_in import sign_in
from tests.support.systems import whole_system


async def test_generate_list_show(dsn: str) -> None:
    made = await handfast(dsn, "people", "generate", "30", "--seed", "7", "--json")
    assert json.loads(made.stdout) == {"seed": 7, "first": 0, "people": 30}
    more = await handfast(dsn, "people", "generate", "5", "--seed", "7", "--no-responses")
    assert more.stdout.strip() == "Made 5 people of seed 7, from number 30 on."
    listed = json.loads((await handfast(dsn, "people", "list", "--json")).stdout)
    assert len(listed["users"]) == 35
    one = listed["users"][0]
    for name in (one["id"], one["phoneNumber"]):
        shown = await handfast(dsn, "people", "show", name)
        assert one["displayName"] in shown.stdout
        assert one["phoneNumber"] in shown.stdout
    active = await handfast(dsn, "people", "list", "--status", "active", "--limit", "2")
    assert "--after" in active.stdout


async def test_suspend_reinstate_export(dsn: str, database: Database, tmp_path: Path) -> None:
    system = whole_system(load_settings(), database, Target(dsn))
    anna = await sign_in(system, "+4915123456780")
    done = await handfast(dsn, "people", "suspend", anna.phone, "--reason", "x", "--json")
    assert json.loads(done.stdout)["user"]["status"] == "suspended"
    done = await handfast(dsn, "people", "reinstate", anna.phone, "--reason", "x", "--json")
    assert json.loads(done.stdout)["user"]["status"] == "pending_verification"
    archive = tmp_path / "anna.zip"
    assert (await handfast(dsn, "people", "export", anna.phone, "--to", str(archive))).stdout
    with zipfile.ZipFile(archive) as found:
        assert json.loads(found.read("people.json"))["user"]["phoneNumber"] == anna.phone
    again = await handfast(dsn, "people", "export", anna.phone, "--to", str(archive))
    assert again.returncode == 1
    assert "cannot be written" in again.stderr


@pytest.mark.parametrize("name", ["nobody", "+4930000000", "01a1ea2e-7415-70ef-a5c9-68d830a2c8b7"])
async def test_nobody_of_that_name(dsn: str, name: str) -> None:
    assert (await handfast(dsn, "people", "show", name)).returncode == 1
