"""``handfast audit``: what operators have changed."""

from typing import Annotated

from cyclopts import App, Parameter

from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.operating.audit import AuditFilter, AuditPage, list_audit
from handfast.engine.system import System

app = App(name="audit", help="What operators have changed, and who of them.")


@app.command(name="list")
def list_(
    *,
    actor: Annotated[str | None, Parameter(help="Only what they changed.")] = None,
    action: Annotated[str | None, Parameter(help="Only this, such as job.cancel.")] = None,
    subject: Annotated[str | None, Parameter(help="Only of this, such as job:17.")] = None,
    after: Annotated[int | None, Parameter(help="Go on after this place (`next`).")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List what operators have changed, the newest first."""
    where = AuditFilter(actor, action, subject)

    async def work(system: System) -> AuditPage:
        async with system.database.connection() as connection:
            return await list_audit(connection, where, after=after, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
        return
    table = Listing("at", "actor", "action", "subject", "reason", prose=("reason",))
    for entry in page.entries:
        table.add_row(when(entry.at), entry.actor, entry.action, entry.subject, entry.reason or "")
    OUT.print(table if page.entries else "No operator has changed anything.")
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim")
