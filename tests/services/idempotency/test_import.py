"""Any ASGI application can use the middleware without paying for the rest of Handfast."""

import subprocess
import sys

HEAVY = [
    *("litestar", "uvicorn", "cyclopts", "redis", "structlog", "rich", "pydantic", "cryptography"),
    *("handfast.engine", "handfast.facade", "handfast.wiring"),
]


def test_it_brings_nothing_along() -> None:
    code = (
        "import sys, handfast.services.idempotency\n"
        f"print([m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
