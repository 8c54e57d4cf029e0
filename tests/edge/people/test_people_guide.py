"""The guide's commands, run one after the other as they stand there, say what it shows."""

import json
import os
import subprocess
from pathlib import Path

from tests.support.command import run_handfast
from tests.support.pages import ROOT, fences, is_shown
from tests.support.up import Up

PAGE = ROOT / "docs" / "guides" / "people.md"


def test_from_phone_number_to_complete_profile(tmp_path: Path) -> None:
    start, *steps = [one for one in fences(PAGE) if one.language in ("sh", "json", "text")]
    generate, made = steps[-2:]
    name, _, value = start.text.split()[0].partition("=")
    commands = [one.text for one in steps[:-2] if one.language == "sh"]
    shown = [one for one in steps[:-2] if one.language != "sh"]
    assert len(commands) == len(shown) == 5
    # One shell, as in a terminal; a mark after each.
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
        said = answer.strip()
        if wanted.language == "json":
            said = json.dumps(json.loads(said))
        assert is_shown(said, wanted.text), (said, wanted.text)
    told = run_handfast(*generate.text.split()[1:], "--data-dir", str(tmp_path / "data"))
    assert told.stdout.strip() == made.text.strip(), told.stderr
