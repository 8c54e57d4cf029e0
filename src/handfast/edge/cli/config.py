"""``handfast config``."""

import os

from rich.table import Table

from handfast.base.settings import (
    Settings,
    about,
    load_settings,
    shown,
    unknown_variables,
    variable_name,
)
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
            "source": "environment" if variable_name(field) in os.environ else "default",
            **about(field),
        }
        for field in Settings.model_fields
    ]
    if json:
        print_json({"settings": rows, "unknown": unknown_variables()})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("setting", "value", "from", "meaning"):
        table.add_column(column, overflow="fold")
    for row in rows:
        value = row["value"] or "-"
        table.add_row(str(row["name"]), str(value), str(row["source"]), str(row["about"]))
    OUT.print(table, soft_wrap=False)
    for name, meant in unknown_variables().items():
        suggestion = f"; did you mean {meant}?" if meant else "."
        ERR.print(f"[yellow]{name} is set, but Handfast has no such setting{suggestion}[/]")


config.__doc__ = f"""Show every setting, where it comes from, and what it means.

Secrets are masked. Settings come from the environment:

{_every_setting()}
"""
