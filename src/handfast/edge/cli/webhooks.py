"""``handfast webhooks``: sending them, and trying out how they arrive."""

from cyclopts import App

from handfast.edge.cli.webhooks_inbox import inbox_sql

app = App(name="webhooks", help="Webhooks: endpoints, what was sent, and sending again.")

app.command(inbox_sql, name="inbox-sql")
# By name, as in `app`: a list of endpoints does not need the web server.
app.command(
    "handfast.edge.cli.webhooks_listen:listen",
    name="listen",
    help="Print webhooks as they arrive, and verify them, until Ctrl-C. Handfast delivers to this "
    "machine only if private addresses are allowed.",
)
