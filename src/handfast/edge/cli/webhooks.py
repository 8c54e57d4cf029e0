"""``handfast webhooks``: sending them, and trying out how they arrive."""

from cyclopts import App

app = App(name="webhooks", help="Webhooks: endpoints, what was sent, and sending again.")

# By name, as in `app`: a list of endpoints does not need the web server.
app.command("handfast.edge.cli.webhooks_listen:listen", name="listen")
app.command("handfast.edge.cli.webhooks_inbox:inbox_sql", name="inbox-sql")
