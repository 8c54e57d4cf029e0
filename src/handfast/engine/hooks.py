"""Facts and hooks: how capabilities act together without knowing each other.

Whoever suspends a user states the fact in its own transaction; whoever keeps something that must
follow says so with a hook, which runs in the same transaction: all of it commits, or nothing.
Hooks are called in the order of the capabilities, whoever states the fact and whenever, so two
transactions take the locks of their hooks in the same order and cannot wait for each other. One
that states a fact of its own capability because of another (a block closes a match) takes ``hooks``
after what is told, one that acts as the settings say takes ``settings``.

A hook that has something to tell hands its events back and does not emit them: an event locks the
streams of its users, and whoever is no hook takes those last. Whoever states the fact and has to
tell of it gives its own events along: all are emitted in one statement, which locks in one order.
Emitted one after the other, the second would wait for an aggregate while the first holds a stream.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from handfast.db.transaction import Transaction
from handfast.engine.capability import Capabilities, Fact, Hook, found
from handfast.engine.events import NewEvent, emit_many

if TYPE_CHECKING:
    from handfast.base.settings import Settings

Call = Callable[..., Awaitable[Sequence[NewEvent] | None]]


class Hooks:
    """Who is to be called for each fact. A hook of a capability that is off is not there."""

    def __init__(self, capabilities: Capabilities, settings: "Settings | None" = None) -> None:
        # What a hook may take besides what it is told, by the name of its argument.
        self._at_hand = {"hooks": self, "settings": settings}
        self._facts = {fact.name: fact for one in capabilities.on for fact in one.facts}
        declared = {fact.name for one in capabilities.known for fact in one.facts}
        self._hooks: dict[str, list[Hook]] = {name: [] for name in self._facts}
        for capability in capabilities.on:
            for hook in capability.hooks:
                if hook.fact not in declared:
                    raise ValueError(
                        f"{capability.name} hooks on {hook.fact!r}, a fact that nobody declares"
                    )
                if hook.fact in self._hooks:
                    self._hooks[hook.fact].append(hook)
        self._calls: dict[str, list[Call]] = {}

    @property
    def listed(self) -> Mapping[str, list[str]]:
        """Every fact with what is called for it, in order."""
        return {fact: [hook.call for hook in hooks] for fact, hooks in self._hooks.items()}

    async def state(self, tx: Transaction, name: str, *own: NewEvent, **told: Any) -> None:
        """The fact is so, as part of ``tx``; every hook has done its part when this returns, and
        the hooks' events and then ``own`` are emitted."""
        fact = self._facts[name]
        if told.keys() != set(fact.tells):
            raise TypeError(f"{name} tells {', '.join(fact.tells)}, not {', '.join(told)}")
        events: list[NewEvent] = []
        for call in self._calls_for(fact):
            events += await call(tx, **told) or ()
        events += own
        if events:
            await emit_many(tx, events)

    def _calls_for(self, fact: Fact) -> list[Call]:
        if fact.name not in self._calls:
            self._calls[fact.name] = [self._checked(fact, hook) for hook in self._hooks[fact.name]]
        return self._calls[fact.name]

    def _checked(self, fact: Fact, hook: Hook) -> Call:
        call: Call = found(hook.call)
        takes = [*inspect.signature(call).parameters][1:]  # after the transaction
        told, wanted = takes[: len(fact.tells)], takes[len(fact.tells) :]
        if told != list(fact.tells) or not self._at_hand.keys() >= set(wanted):
            raise TypeError(f"{hook.call} takes {takes}, and {fact.name} tells {list(fact.tells)}")
        return partial(call, **{name: self._at_hand[name] for name in wanted})
