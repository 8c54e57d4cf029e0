"""The budget: exact in its own time, and safe between threads."""

import threading

import pytest

from handfast.edge.client.budget import RetryBudget


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def spend(budget: RetryBudget) -> int:
    taken = 0
    while budget.take():
        taken += 1
    return taken


def test_calls_pay_in_and_retries_take_out() -> None:
    budget = RetryBudget(per_call=0.25, per_second=0.0, burst=4.0, clock=Clock())
    assert spend(budget) == 4
    for _ in range(3):
        budget.call()
    assert not budget.take()
    budget.call()
    assert budget.take()
    assert not budget.take()


def test_time_pays_in_up_to_the_burst() -> None:
    clock = Clock()
    budget = RetryBudget(per_call=0.0, per_second=2.0, burst=10.0, clock=clock)
    assert spend(budget) == 10
    clock.at += 0.49
    assert not budget.take()
    clock.at += 0.01
    assert budget.take()
    clock.at += 1000
    assert budget.tokens == 10.0
    assert spend(budget) == 10


def test_a_clock_that_goes_back_takes_nothing() -> None:
    clock = Clock()
    budget = RetryBudget(per_second=1.0, burst=5.0, clock=clock)
    clock.at -= 50
    assert budget.tokens == 5.0


def test_a_storm_is_a_fifth_and_not_four_times() -> None:
    budget = RetryBudget(per_call=0.2, per_second=0.0, burst=50.0, clock=Clock())
    retries = 0
    for _ in range(10_000):
        budget.call()
        for _ in range(3):
            if not budget.take():
                break
            retries += 1
    assert 2000 <= retries <= 2000 + 50


def test_threads_share_it() -> None:
    budget = RetryBudget(per_call=0.0, per_second=0.0, burst=1000.0)
    taken = [0] * 8

    def work(number: int) -> None:
        taken[number] = spend(budget)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 1000


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        RetryBudget(burst=-1)
