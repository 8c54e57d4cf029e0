"""`from handfast import Handfast` is what every program pays for: nothing heavy comes with it."""

import subprocess
import sys

HEAVY = (
    *("litestar", "uvicorn", "cyclopts", "redis", "structlog", "rich", "pydantic", "cryptography"),
    *("numpy", "httpx2", "httpcore2", "publicsuffixlist", "ada_url"),
    *("handfast.apps", "handfast.services", "handfast.wiring", "handfast.edge"),
)


def test_a_program_pays_for_the_engine_alone() -> None:
    code = (
        "import sys; from handfast import Handfast; Handfast()\n"
        f"print([m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
