"""Names that lie, with a real name server, real resolution and real sockets.

Runs in a network namespace, where a "public" address can be had and the resolver can be pointed
at a server of our own. As root without user namespaces, where those are forbidden.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = (
    "mount --bind {resolv} /etc/resolv.conf && exec {python} -m tests.support.rebinding {urls}"
)


def in_a_lying_network(tmp_path: Path, *urls: str) -> dict[str, Any]:
    resolv = tmp_path / "resolv.conf"
    # Patient, and asking once: each question is counted, and the name server may be slow to answer.
    resolv.write_text("nameserver 127.0.0.1\noptions timeout:20 attempts:1\n")
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(
        [
            *("unshare", *as_root, "--net", "--mount", "sh", "-c"),
            PROGRAM.format(resolv=resolv, python=sys.executable, urls=" ".join(urls)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.on_linux
def test_a_name_that_changes_its_mind_never_leads_inside(tmp_path: Path) -> None:
    seen = in_a_lying_network(
        tmp_path, *[f"http://rebinding.test/{number}" for number in (1, 2, 3)]
    )
    # The first look is the only look of the first post: it reaches what was checked. The next
    # post needs a new connection, looks again, and is refused.
    assert seen["said"][0] == "302", "and the redirect to the inside is not followed"
    for said in seen["said"][1:]:
        assert said == "AddressRefused: rebinding.test leads to 127.0.0.1, which is loopback."
    assert seen["asked"] == {"rebinding.test": 3}
    assert (seen["outside"], seen["inside"]) == (["/1"], [])


@pytest.mark.on_linux
def test_every_answer_is_checked(tmp_path: Path) -> None:
    seen = in_a_lying_network(
        tmp_path,
        *("http://both.test/", "http://inside.test/", "http://inside.test./"),
        *("http://honest.test/", "http://honest.test./", "http://HONEST.test/", "http://8.8.8.8/"),
    )
    assert [said.partition(":")[0] for said in seen["said"]] == ["AddressRefused"] * 3 + ["302"] * 4
    assert (seen["outside"], seen["inside"]) == (["/"] * 4, [])
