"""Logs: one JSON document a line, with what was bound, the standard library's lines included."""

import json
import logging

import pytest
import structlog

from handfast.base.logs import LogFormat, LogLevel, configure_logs, get_logger, log_through_the_host

pytestmark = pytest.mark.on_lowest


@pytest.fixture(autouse=True)
def _restore() -> object:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def test_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(LogLevel.INFO, LogFormat.JSON)
    structlog.contextvars.bind_contextvars(request_id="r-1")
    get_logger("a").info("claimed", jobs=3)
    get_logger("a").debug("not written")
    extra = {"color_message": "\x1b[1mfrom elsewhere\x1b[0m", "number": 7}  # as uvicorn does it
    logging.getLogger("b").warning("from %s", "elsewhere", extra=extra)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == ["claimed", "from elsewhere"]
    assert lines[0]["jobs"] == 3
    assert lines[0]["logger"] == "a"
    assert {line["request_id"] for line in lines} == {"r-1"}
    assert lines[1]["level"] == "warning"
    assert lines[1]["number"] == 7
    assert "color_message" not in lines[1]


def test_exceptions_are_in_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(LogLevel.INFO, LogFormat.JSON)
    try:
        raise ValueError("broken")
    except ValueError as error:
        get_logger("a").error("failed", exc_info=error)
    line = json.loads(capsys.readouterr().err)
    assert line["exception"][0]["exc_value"] == "broken"


@pytest.mark.parametrize("style", [LogFormat.JSON, LogFormat.TEXT])
def test_values_of_variables_are_not(style: LogFormat, capsys: pytest.CaptureFixture[str]) -> None:
    """An address with its password is among them, whenever a connection fails."""
    configure_logs(LogLevel.INFO, style)

    def connect(address: str) -> None:
        raise ValueError("broken")

    try:
        connect("postgresql://u:" + "hunter" + "2@h/d")
    except ValueError as error:
        get_logger("a").error("failed", exc_info=error)
    said = capsys.readouterr().err
    assert "broken" in said
    assert "hunter2" not in said


def test_inside_another_program_its_own_logging_decides(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    structlog.reset_defaults()
    log_through_the_host()
    get_logger("a").info("worker_started", worker=7)
    get_logger("a").warning("lease_lost", kind="mail.welcome")
    assert caplog.messages == ["event=lease_lost kind=mail.welcome"]
    assert capsys.readouterr().out == ""


def test_who_has_configured_logs_is_left_alone() -> None:
    configure_logs(LogLevel.INFO, LogFormat.JSON)
    before = structlog.get_config()["processors"]
    log_through_the_host()
    assert structlog.get_config()["processors"] is before
