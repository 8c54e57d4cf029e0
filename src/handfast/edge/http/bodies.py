"""How large the body of a request may be, route by route: refused before it is buffered.

The framework reads bodies, and before it the idempotency middleware if there is a key: both are
given these numbers.
"""

BODY_BYTES_MAX = 1024 * 1024  # lists of ids and filters, from operators
RUN_BODY_BYTES_MAX = 16 * 1024  # one address, from anybody
FIXTURES_BODY_BYTES_MAX = 10 * 1024 * 1024  # twenty thousand fixtures, with room to spare
