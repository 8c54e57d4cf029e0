"""What a process works with: settings, the database, and which capabilities are switched on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.engine.capability import Capabilities
from handfast.engine.hooks import Hooks

if TYPE_CHECKING:
    from handfast.base.settings import Settings


@dataclass(frozen=True)
class System:
    settings: "Settings"
    database: Database
    direct: Target
    capabilities: Capabilities
    redis: GuardedRedis | None = None  # a fast path, where REDIS_URL names one
    hooks: Hooks = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hooks", Hooks(self.capabilities, self.settings))


@dataclass(frozen=True)
class Wanted:
    """What a process asks of the capabilities that work in it."""

    lanes: tuple[str, ...] | None = None  # these alone; None for all
    declared: Sequence[Any] = ()  # what the program has declared for this capability
    warn: Callable[[str], None] = lambda _: None  # about what cannot be worked on, and why

    def wants(self, lane: str) -> bool:
        return self.lanes is None or lane in self.lanes

    def asks_for(self, lane: str) -> bool:
        """By name: then what is missing is an error and not a warning."""
        return self.lanes is not None and lane in self.lanes
