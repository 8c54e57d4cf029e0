"""``handfast corpus``, as a person and as a script use it: a process, its output, its exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_handfast
from tests.support.corpus_files import MATCHES, rejected, three_files, write


@pytest.fixture
def corpus(dsn: str) -> Any:
    def run(*words: object, code: int = 0) -> Any:
        settings = {"DATABASE_URL": dsn, "COLUMNS": "200", "HANDFAST_CORPUS_SCHEMA": "crm"}
        done = run_handfast("corpus", *map(str, words), env=settings)
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout) if "--json" in words else done.stdout + done.stderr

    return run


def test_a_life(corpus: Any, tmp_path: Path) -> None:
    """Load, look, load something bad, force it, roll back."""
    assert "There is no corpus yet" in corpus("versions")
    assert "nothing to rebuild" in corpus("rebuild", code=9)
    files = three_files(tmp_path)
    named = [f"--{part.word}={path}" for part, path in files.items()]
    said = corpus("load", *named)
    assert "Readers have version 2 now; there was none before." in said  # 1 was given up above
    assert "6 of 6 rows" in said
    listed = corpus("versions", "--json")["versions"]
    assert [(v["version"], v["state"], v["matches"]) for v in listed] == [
        (2, "current", 6),
        (1, "retired", None),
    ]
    assert listed[0]["verdict"]["passed"] is True
    assert "passed" in corpus("check")
    half = write(tmp_path / "half.csv", MATCHES[:2])
    refused = corpus("load", f"--matches={half}", "--replace", "--json", code=9)
    assert refused["error"]["code"] == "CORPUS_REFUSED"
    assert {check["name"] for check in refused["error"]["failed"]} >= {"matches_count", "coverage"}
    assert "2 startups" not in corpus("check", 3, code=9)
    assert corpus("switch", 3, "--json", code=9)["error"]["code"] == "CORPUS_REFUSED"
    assert corpus("switch", 3, "--force", "--json") == {"version": 3, "was": 2}
    assert corpus("rollback", "--json") == {"version": 2, "was": 3}
    assert "no version before" in corpus("rollback", code=9)
    assert corpus("retire", "--json") == {"retired": []}
    assert "There is no version 9" in corpus("switch", 9, code=9)


def test_bad_files(corpus: Any, tmp_path: Path) -> None:
    files = three_files(tmp_path)
    assert "No file is named" in corpus("load", code=1)
    bad = write(tmp_path / "bad.csv", [{"startup_id": "s", "nmae": "x", "url": "y"}])
    said = corpus("load", f"--startups={bad}", code=9)
    assert "'name' is missing" in said
    assert "did you mean 'name'?" in said
    assert "--max-bad is 'x'" in corpus("load", f"--startups={bad}", "--max-bad=x", code=1)
    mixed = write(tmp_path / "mixed.csv", [*MATCHES, {**MATCHES[0], "score": "many"}])
    named = [f"--{p.word}={path}" for p, path in files.items() if p.word != "matches"]
    said = corpus("load", *named, f"--matches={mixed}", "--max-bad=1")
    assert f"1 bad rows set aside in {mixed}.rejects.csv" in said
    assert rejected(Path(f"{mixed}.rejects.csv")) == [(8, "score is 'many', not a whole number")]
    assert "has none of the tables" in corpus("load", "--from-tables", code=9)


def test_generate_and_rebuild(corpus: Any, tmp_path: Path) -> None:
    made = corpus("generate", "--startups=20", "--investors=10", f"--out={tmp_path}", "--json")
    assert made == {
        "files": {
            str(tmp_path / "startups.csv"): 20,
            str(tmp_path / "investors.csv"): 10,
            str(tmp_path / "matches.csv"): 200,
        }
    }
    done = corpus("generate", "--startups=20", "--investors=10", "--json")
    assert done["built"]["scored"] == 200
    assert done["published"]["switched"] == {"version": 1, "was": None}
    again = corpus("rebuild", "--no-switch", "--json")
    assert again["published"] is None
    assert "Readers have version 2 now; before it was version 1." in corpus("switch", 2)
    built = corpus(
        "load",
        f"--startups={tmp_path}/startups.csv",
        f"--investors={tmp_path}/investors.csv",
        "--score",
        "--replace",
        "--json",
    )["built"]
    assert built["scored"] == 200
    assert "at least one" in corpus("generate", "--startups=0", code=1)
