"""Named constraints become named errors.

The database enforces a rule and names it; the module that owns the rule says here what its name
means to a caller. ``register({"wallet_not_negative": InsufficientFunds})`` is all it takes.
"""

from collections.abc import Mapping

import asyncpg

from handfast.base.errors import ConstraintViolated

BY_CONSTRAINT: dict[str, type[ConstraintViolated]] = {}


def register(errors: Mapping[str, type[ConstraintViolated]]) -> None:
    """Say which error a violated constraint becomes. Each name is claimed once."""
    for name, error in errors.items():
        if BY_CONSTRAINT.setdefault(name, error) is not error:
            raise ValueError(f"constraint {name!r} is mapped to {BY_CONSTRAINT[name].__name__}")


def named(violation: asyncpg.IntegrityConstraintViolationError) -> ConstraintViolated:
    """The error for a violation; one without a name of its own stays a general one."""
    name = violation.constraint_name or ""
    error = BY_CONSTRAINT.get(name, ConstraintViolated)
    return error(violation.message or str(violation), constraint=name)
