"""Errors of a request before any route has it."""

from handfast.base.errors import MachineError, RequestError


class PortTaken(MachineError):
    code = "PORT_TAKEN"
    title = "The port is taken"


class HeadTooLarge(RequestError):
    code = "HEAD_TOO_LARGE"
    title = "The head of the request is too large"
    status = 431
