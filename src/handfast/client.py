"""Calling Handfast, and retrying any HTTP call safely: the public names of ``edge.client``.

async with Client("http://127.0.0.1:8000", token=token) as client:
    page = await client.jobs(state=JobState.DEAD)

httpx2.AsyncClient(transport=RetryTransport())          # the policy for a client of your own
await retrying(client.send, request)                    # the policy for one call
"""

from handfast.edge.client.budget import PROCESS_BUDGET, RetryBudget
from handfast.edge.client.client import Client
from handfast.edge.client.policy import HttpRetryPolicy
from handfast.edge.client.retrying import retrying
from handfast.edge.client.transport import RetryTransport

__all__ = [
    "PROCESS_BUDGET",
    "Client",
    "HttpRetryPolicy",
    "RetryBudget",
    "RetryTransport",
    "retrying",
]
