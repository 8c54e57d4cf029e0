"""What a job is to the match runs: the run that it works on."""

from uuid import UUID

from handfast.apps.runs.records import find_run
from handfast.apps.runs.worker import KIND
from handfast.db.transaction import Queryable
from handfast.engine.operating.identity_view import JobConnection
from handfast.engine.operating.jobs_view import JobDetail


async def about_job(on: Queryable, job: JobDetail) -> list[JobConnection]:
    if job.kind != KIND:
        return []
    try:
        run_id = UUID(job.key)
    except ValueError:  # somebody enqueued that kind by hand
        return []
    run = await find_run(on, run_id)
    if run is None:
        return []
    facts = {
        "runId": str(run.run_id),
        "status": run.status,
        "step": run.step,
        "startupId": run.startup_id,
        "canonicalUrl": run.canonical_url,
        "matchCount": run.match_count,
        "errorCode": run.error_code,
        "corpusVersion": run.corpus_version,
    }
    address = f"/api/match/run/{run_id}"
    return [JobConnection("runs", "run", str(run_id), address, f"run:{run_id}", facts)]
