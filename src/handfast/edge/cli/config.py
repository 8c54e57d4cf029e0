"""``handfast config``."""

from rich.text import Text

from handfast.base.settings import (
    Settings,
    about,
    is_set,
    load_settings,
    shown,
    unknown_variables,
    variable_name,
)
from handfast.edge.cli.listing import Listing
from handfast.edge.cli.options import Json
from handfast.edge.cli.output import ERR, OUT, print_json


def _every_setting() -> str:
    lines = [
        f"* **{variable_name(field)}**: {entry['about']}. Allowed: {entry['allowed']}."
        for field in Settings.model_fields
        for entry in [about(field)]
    ]
    return "\n".join(lines)


def config(*, json: Json = False) -> None:
    settings = load_settings()
    rows = [
        {
            "name": variable_name(field),
            "value": shown(settings, field),
            "source": "environment" if is_set(field) else "default",
            **about(field),
        }
        for field in Settings.model_fields
    ]
    if json:
        print_json({"settings": rows, "unknown": unknown_variables()})
        return
    table = Listing("setting", "from", "value", "meaning", prose=("meaning",))
    for row in rows:
        cells = (row["name"], row["source"], row["value"] or "-", row["about"])
        table.add_row(*(str(cell) for cell in cells))
    OUT.print(table)
    for name, meant in unknown_variables().items():
        suggestion = f"; did you mean {meant}?" if meant else "."
        ERR.print(
            Text(f"{name} is set, but Handfast has no such setting{suggestion}", style="yellow")
        )


config.__doc__ = f"""Show every setting, where it comes from, and what it means.

Secrets are masked. Settings come from the environment:

{_every_setting()}
"""
