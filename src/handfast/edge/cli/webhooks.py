"""``handfast webhooks``: sending them, and trying out how they arrive."""

from cyclopts import App

from handfast.edge.cli.webhooks_inbox import inbox_sql
from handfast.edge.cli.webhooks_listen import listen

app = App(name="webhooks", help="Webhooks: endpoints, what was sent, and sending again.")

app.command(listen)
app.command(inbox_sql, name="inbox-sql")
