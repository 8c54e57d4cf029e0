"""The guide's commands, run one after the other as they stand there, say what it shows."""

import json
import os
import subprocess
from pathlib import Path

from tests.support.pages import ROOT, fences, is_shown
from tests.support.up import Up

PAGE = ROOT / "docs" / "guides" / "sign-in.md"


def test_from_phone_number_to_signed_in(tmp_path: Path) -> None:
    steps = [one for one in fences(PAGE) if one.language in ("sh", "json")]
    start, *rest = [one for one in steps if "SMS_SENDER" not in one.text]
    name, _, value = start.text.split()[0].partition("=")
    commands = [one.text for one in rest if one.language == "sh"]
    shown = [one.text for one in rest if one.language == "json"]
    assert len(commands) == len(shown) == 5
    # One shell, as in a terminal; a line of its own after each.
    script = "\n".join(f"{command}\necho; echo @@@" for command in commands)
    with Up(tmp_path / "data", **{name: value}) as up:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "URL": up.url, "no_proxy": "*"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    answers = done.stdout.split("@@@")[:-1]
    for answer, wanted in zip(answers, shown, strict=True):
        said = json.dumps(json.loads(answer.strip()))
        assert is_shown(said, wanted), (said, wanted)
