"""Named constraints become named errors.

The database enforces a rule and names it; the module that owns the rule says here what its name
means to a caller. ``register({"wallet_not_negative": InsufficientFunds})`` is all it takes.
"""

from collections.abc import Mapping

import asyncpg

from handfast.db.errors import ConstraintViolated

BY_CONSTRAINT: dict[str, type[ConstraintViolated]] = {}
SQLSTATES: dict[str, str] = {}


def register(errors: Mapping[str, type[ConstraintViolated]]) -> None:
    """Say which error a violated constraint becomes. Each name is claimed once."""
    for name, error in errors.items():
        if BY_CONSTRAINT.setdefault(name, error) is not error:
            raise ValueError(f"constraint {name!r} is mapped to {BY_CONSTRAINT[name].__name__}")


def sqlstate(code: str, function: str) -> str:
    """The SQLSTATE with which a function of ours refuses. Each code has one meaning, in one place;
    the class HF is ours."""
    if SQLSTATES.setdefault(code, function) != function:
        raise ValueError(f"{code} is {SQLSTATES[code]}'s")
    return code


def named(violation: asyncpg.IntegrityConstraintViolationError) -> ConstraintViolated:
    """The error for a violation; one without a name of its own stays a general one."""
    name = violation.constraint_name or ""
    error = BY_CONSTRAINT.get(name, ConstraintViolated)
    return error(violation.message or str(violation), constraint=name)
