"""``handfast config``."""

from rich.text import Text

from handfast.base.settings import about, unknown_variables, variable_name
from handfast.edge.api.settings import settings_shown
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import Json
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.wiring import every_setting, load_settings


def _every_setting() -> str:
    kind = every_setting()
    lines = [
        f"* **{variable_name(field, kind)}**: {entry['about']}. Allowed: {entry['allowed']}."
        for field in kind.model_fields
        for entry in [about(field, kind)]
    ]
    return "\n".join(lines)


def config(*, json: Json = False) -> None:
    rows = settings_shown(load_settings())
    if json:
        print_json({"settings": rows, "unknown": unknown_variables(every_setting())})
        return
    table = Listing("setting", "from", "value", "meaning", prose=("meaning",))
    for row in rows:
        table.add_row(row.name, row.source, row.value or "-", row.about)
    OUT.print(table)
    for name, meant in unknown_variables(every_setting()).items():
        suggestion = f"; did you mean {meant}?" if meant else "."
        ERR.print(
            Text(f"{name} is set, but Handfast has no such setting{suggestion}", style="yellow")
        )


config.__doc__ = f"""Show every setting, where it comes from, and what it means.

Secrets are masked. Settings come from the environment:

{_every_setting()}
"""
