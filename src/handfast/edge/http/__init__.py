"""The HTTP API: routes, authentication, and errors as RFC 9457 problems."""
