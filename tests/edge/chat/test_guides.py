"""The guides' commands (chat.md, moderation.md), run one after the other as they stand there, say
what the pages show."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pages import ROOT, fences, is_shown
from tests.support.up import Up

GUIDES = ROOT / "docs" / "guides"


@pytest.mark.parametrize("page", ["chat.md", "moderation.md"])
def test_a_guide(tmp_path: Path, page: str) -> None:
    start, *steps = [one for one in fences(GUIDES / page) if one.language in ("sh", "text")]
    assert start.text.split()[-2:] == ["handfast", "up"]
    settings = dict(word.split("=", 1) for word in start.text.split()[:-2])
    shown = [one.text for one in steps if one.language == "text"]
    assert len(shown) >= 3
    # One shell, as in a terminal; a mark where the page shows what was said.
    script = "\n".join(one.text if one.language == "sh" else "echo @@@" for one in steps)
    data_dir = tmp_path / "data"
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with Up(data_dir, **settings) as up:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env={
                "PATH": programs,
                "URL": up.url,
                "no_proxy": "*",
                "HANDFAST_DATA_DIR": str(data_dir),
                "HOME": str(tmp_path),
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout.split("@@@")[:-1]
    for answer, wanted in zip(said, shown, strict=True):
        assert is_shown(answer.strip(), wanted), (answer, wanted)
