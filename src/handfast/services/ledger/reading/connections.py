"""What a job is to the ledger: the transfers that bear its name.

A job that moves money gives its transfers a reference of its own: ``kind:key``, or that and more
behind a colon, one for each of several. So a repeated attempt moves it once, and whoever looks at
the job finds its money, by a range of the index of references.
"""

from datetime import datetime

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.operating.identity_view import JobConnection
from handfast.engine.operating.jobs_view import JobDetail
from handfast.services.ledger.values import REFERENCE_LENGTH_MAX

TRANSFERS_MAX = 20


class _TransferOfJob(msgspec.Struct, frozen=True):
    id: int
    at: datetime
    kind: str
    reference: str
    amount: int


_TRANSFERS = statement("ledger.transfers_named", row=_TransferOfJob)


async def about_job(on: Queryable, job: JobDetail) -> list[JobConnection]:
    reference = f"{job.kind}:{job.key}"
    if len(reference) > REFERENCE_LENGTH_MAX:
        return []
    return [
        JobConnection(
            "ledger",
            "transfer",
            str(one.id),
            facts={
                "at": one.at.isoformat(),
                "kind": one.kind,
                "reference": one.reference,
                "amount": one.amount,
            },
        )
        for one in await _TRANSFERS.all(on, reference, TRANSFERS_MAX)
    ]
