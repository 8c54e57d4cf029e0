"""A part of a round through one interface: bytes in, bytes out, wherever that runs.

A shard is some whole regions. What comes out does not depend on how regions are put together, on
the machine or on how many work at once: the parts are laid side by side afterwards. Here are two
ways to run shards, threads of this process and processes of their own; a cluster needs no more
than ``run_shard`` and a way to carry bytes.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Any, Protocol, Self

import msgspec

from handfast.apps.offers.rounds.arithmetic.best import (
    MISSING,
    TOP,
    kept_apart_pairs,
    one_blas_thread,
)
from handfast.apps.offers.rounds.figures import Totals
from handfast.apps.offers.rounds.market import Effort, Market, RoundRules
from handfast.apps.offers.rounds.picks import ROW, Picks
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rounds.registry import score_named, selection_named
from handfast.apps.offers.rules.person import ScoredQuestion
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

# Of each column of a pool, little-endian; a place has three.
_STORED = {
    "age": "<i2",
    "gender": "u1",
    "seeking": "u1",
    "intent": "u1",
    "min_age": "<i2",
    "max_age": "<i2",
    "reach": "<i8",
    "place": "<i4",
    "room": "<i2",
}


class RegionInputs(msgspec.Struct, frozen=True, array_like=True):
    columns: dict[str, bytes]
    answers: bytes
    answer_width: int
    apart: bytes  # one, other, the least score that would do
    returns: bytes  # user, candidate
    shown: bytes  # user, candidate


class ShardInputs(msgspec.Struct, frozen=True):
    score: str
    selection: str
    rules: RoundRules
    questions: list[ScoredQuestion]
    effort: Effort
    regions: list[RegionInputs]


class RegionOutputs(msgspec.Struct, frozen=True, array_like=True):
    picks: bytes
    totals: Totals


def region_inputs(
    pool: Pool,
    apart: "npt.NDArray[np.int64]",
    returns: "npt.NDArray[np.int64]",
    shown: "npt.NDArray[np.int64]",
) -> RegionInputs:
    return RegionInputs(
        {name: getattr(pool, name).astype(how).tobytes() for name, how in _STORED.items()},
        pool.answers.tobytes(),
        pool.answers.shape[1],
        apart.astype("<i8").tobytes(),
        returns.astype("<i8").tobytes(),
        shown.astype("<i8").tobytes(),
    )


def run_shard(inputs: bytes) -> bytes:
    """The picks of each region; people are numbered within it."""
    shard = msgspec.msgpack.decode(inputs, type=ShardInputs)
    return msgspec.msgpack.encode([_run_region(shard, region) for region in shard.regions])


def outputs_of(outputs: bytes) -> list[tuple[Picks, Totals]]:
    found = msgspec.msgpack.decode(outputs, type=list[RegionOutputs])
    return [(Picks(np.frombuffer(one.picks, ROW)), one.totals) for one in found]


def _run_region(shard: ShardInputs, region: RegionInputs) -> RegionOutputs:
    pool = _pool(region)
    one, other, least = np.frombuffer(region.apart, "<i8").reshape(-1, 3).T
    market = Market(
        pool,
        score_named(shard.score)(shard.questions, pool),
        kept_apart_pairs(len(pool), one, other, least),
        shard.rules,
        effort=shard.effort,
        returns=np.frombuffer(region.returns, "<i8").reshape(-1, 2),
        shown=np.frombuffer(region.shown, "<i8").reshape(-1, 2),
    )
    picks = selection_named(shard.selection)(market)
    return RegionOutputs(picks.tobytes(), _totals(market))


def _pool(region: RegionInputs) -> Pool:
    columns: dict[str, Any] = {
        name: np.frombuffer(region.columns[name], how).astype(np.int64)
        for name, how in _STORED.items()
    }
    count = len(columns["age"])
    columns["place"] = columns["place"].reshape(count, 3)
    answers = np.frombuffer(region.answers, np.uint8).reshape(count, region.answer_width)
    return Pool(**columns, answers=answers)


def _totals(market: Market) -> Totals:
    lists = market.best
    is_top = (np.arange(lists.shape[1]) < market.room[:, None]) & (lists != MISSING)
    scores = TOP - (lists[is_top] >> 32)
    return Totals(market.eligible, int(scores.sum()), len(scores))


class ShardRunner(Protocol):
    """Runs ``run_shard`` for each, and answers in the same order. ``at_once`` is how many it can
    run at a time."""

    at_once: int

    def run(self, shards: Iterable[bytes]) -> Iterator[bytes]: ...


class InThreads:
    """In this process."""

    def __init__(self, threads: int = 1) -> None:
        self.at_once = threads

    def run(self, shards: Iterable[bytes]) -> Iterator[bytes]:
        with one_blas_thread(), ThreadPoolExecutor(self.at_once) as executor:
            yield from _in_order(executor, shards, self.at_once)


class InProcesses:
    """In processes of their own, which have imported these modules: whatever registers a score or a
    selection. They live as long as the ``with`` block: to start them costs more than a small
    round."""

    def __init__(self, processes: int, imports: Sequence[str] = ()) -> None:
        self.at_once = processes
        self._executor = ProcessPoolExecutor(
            processes, get_context("spawn"), _prepare, (tuple(imports),)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(cancel_futures=True)

    def run(self, shards: Iterable[bytes]) -> Iterator[bytes]:
        return _in_order(self._executor, shards, self.at_once)


_held: list[Any] = []


def _prepare(imports: Sequence[str]) -> None:
    _held.append(one_blas_thread().__enter__())  # for as long as the process lives
    for module in imports:
        import_module(module)


def _in_order(executor: Executor, shards: Iterable[bytes], at_once: int) -> Iterator[bytes]:
    """A few ahead of what is read: inputs are made when there is somebody to work on them."""
    waiting: deque[Future[bytes]] = deque()
    for shard in shards:
        waiting.append(executor.submit(run_shard, shard))
        if len(waiting) > at_once:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
