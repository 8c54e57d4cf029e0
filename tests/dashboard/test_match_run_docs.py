"""The pages about ``useMatchRun``: the states are those of the code, and the code compiles."""

import json
import re
from pathlib import Path

import pytest

from tests.support.node import DASHBOARD, MODULES, ROOT, run_node

pytestmark = pytest.mark.needs("npm")

GUIDE = ROOT / "docs" / "guides" / "use-match-run.md"
PACKAGE = DASHBOARD / "match-run"
FENCE = re.compile(r"^```(tsx?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def moves() -> dict[str, set[str]]:
    code = "import {MOVES} from './match-run/src/states.ts'; console.log(JSON.stringify(MOVES))"
    said = json.loads(run_node("--input-type=module", "--eval", code))
    return {state: set(targets) for state, targets in said.items()}


def test_the_listed_moves_are_the_moves() -> None:
    section = GUIDE.read_text().split("## The states")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| .* \|$", section, re.MULTILINE)
    assert {state: set(re.findall(r"`(\w+)`", targets)) for state, targets in rows} == moves()


def test_the_drawn_moves_are_the_moves() -> None:
    drawing = (ROOT / "docs" / "assets" / "match-run-states.svg").read_text()
    drawn = ", ".join(re.findall(r'data-moves="([\w, ]+)"', drawing)).split(", ")
    assert sorted(drawn) == sorted(f"{a} {b}" for a, to in moves().items() for b in to)
    assert set(re.findall(r'data-state="(\w+)"', drawing)) == set(moves())


def test_the_code_compiles(tmp_path: Path) -> None:
    pages = [*FENCE.findall(GUIDE.read_text()), *FENCE.findall((PACKAGE / "README.md").read_text())]
    assert len(pages) == 4
    for number, (kind, code) in enumerate(pages):
        (tmp_path / f"example{number}.{kind}").write_text(code)
    options = {
        "noEmit": True,
        "module": "esnext",
        "moduleResolution": "bundler",
        "paths": {
            "@handfast/match-run": [str(PACKAGE / "src" / "index.ts")],
            "@handfast/match-run/react": [str(PACKAGE / "src" / "react.ts")],
            "*": [f"{MODULES}/@types/*", f"{MODULES}/*"],
        },
    }
    config = {
        "extends": str(DASHBOARD / "tsconfig.base.json"),
        "compilerOptions": options,
        "include": ["*.ts", "*.tsx"],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    run_node(MODULES / "typescript" / "bin" / "tsc", "-p", tmp_path)
