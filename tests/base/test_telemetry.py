"""Tracing is optional, and its ids meet the logs when it is on."""

import json
import subprocess
import sys

import pytest

from handfast.base.telemetry import span

pytestmark = pytest.mark.on_lowest

TRACED = """
import json, sys
from handfast.base import telemetry
from handfast.base.logs import configure_logs, get_logger
from handfast.base.settings import LogFormat, LogLevel
configure_logs(LogLevel.INFO, LogFormat.JSON)
telemetry.start_tracing("handfast", "0")
with telemetry.span("outer"):
    get_logger("x").info("inside")
get_logger("x").info("outside")
sys.stderr.flush()
import os
os._exit(0)  # there is no collector to flush to
"""


def test_a_span_is_free_when_tracing_is_off() -> None:
    with span("anything", number=1):
        pass


def test_log_lines_inside_a_span_carry_its_ids() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRACED], capture_output=True, text=True, check=True
    )
    inside, outside = (json.loads(line) for line in done.stderr.splitlines())
    assert len(inside["trace_id"]) == 32
    assert "trace_id" not in outside
