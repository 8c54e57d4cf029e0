"""What the figures look like: a table, bars in the terminal, an SVG picture, and our bars."""

import statistics
from typing import Any
from xml.sax.saxutils import escape

from rich.console import Console
from rich.table import Table

COLUMNS = (
    ("drain1", "drain, one process", "jobs/s"),
    ("drain2", "drain, two processes", "jobs/s"),
    ("bulk", "bulk enqueue", "jobs/s"),
    ("single", "single enqueue", "jobs/s"),
    ("p50", "pick-up p50", "ms"),
    ("p99", "pick-up p99", "ms"),
)

COLOURS = {
    "floor": "#9aa5b1",
    "pgqueuer": "#3f7cac",
    "procrastinate": "#95af63",
    "dbos": "#c98b4a",
    "handfast": "#b23a48",
}


def bars(peers: dict[str, Any]) -> list[dict[str, Any]]:
    """Each of the bars that Handfast has to clear, with its figure: none without Handfast."""
    if "handfast" not in peers:
        return []
    ours = peers["handfast"]["figures"]
    found: list[dict[str, Any]] = []

    def bar(what: str, value: float, bound: float, *, least: bool) -> None:
        met = value >= bound if least else value <= bound
        found.append(
            {
                "bar": what,
                "value": value,
                "bound": bound,
                "kind": "at least" if least else "at most",
                "met": met,
            }
        )

    def ratio(key: str, peer: str) -> float:
        """The median of each round's own ratio: whatever slowed the machine slowed both."""
        theirs = peers[peer]["samples"][key]
        mine = peers["handfast"]["samples"][key]
        return float(statistics.median(m / t for m, t in zip(mine, theirs, strict=True)))

    if "pgqueuer" in peers:
        theirs = peers["pgqueuer"]["figures"]
        for key, bound, what in (
            ("drain1", 3.0, "drain with one process / PgQueuer's"),
            ("drain2", 2.0, "drain with two processes / PgQueuer's"),
            ("bulk", 1.5, "bulk enqueue, identities checked / PgQueuer's without"),
            ("single", 1.0, "single enqueue / PgQueuer's"),
        ):
            bar(what, ratio(key, "pgqueuer"), bound, least=True)
        bar("idle pick-up p50 (ms), PgQueuer's", ours["p50"], theirs["p50"], least=False)
    if "floor" in peers:
        bar("drain with one process / floor's", ratio("drain1", "floor"), 0.5, least=True)
    bar("idle pick-up p99 (ms), 3 x p50 + 10", ours["p99"], 3 * ours["p50"] + 10, least=False)
    return found


def _number(value: float, unit: str) -> str:
    return f"{value:.2f}" if unit == "ms" else f"{value:,.0f}"


def show(result: dict[str, Any]) -> None:
    """Print the table, the bars of the chart and the bars to clear."""
    console = Console()
    table = Table(title="Jobs on one durable PostgreSQL")
    table.add_column("peer", no_wrap=True)
    for _, title, unit in COLUMNS:
        heading = f"{title.replace(' ', chr(10))}\n{unit}"
        table.add_column(heading, justify="right", no_wrap=True)
    for name, peer in result["peers"].items():
        table.add_row(name, *(_number(peer["figures"][k], unit) for k, _, unit in COLUMNS))
    console.print(table)
    for peer in result["peers"].values():
        versions = ", ".join(" ".join(pair) for pair in peer["versions"].items())
        console.print(f"{versions}; {peer['drained']:,} jobs drained", highlight=False)
    for key, title, unit in COLUMNS:
        values = {name: peer["figures"][key] for name, peer in result["peers"].items()}
        top = max(values.values())
        console.print(f"\n{title} ({unit})", style="bold", highlight=False)
        for name, value in values.items():
            length = max(1, round(40 * value / top))
            console.print(f"  {name:<14}{'█' * length} {_number(value, unit)}", highlight=False)
    for name, peer in result["peers"].items():
        if any(peer["samples"]["handled_again"]):
            console.print(f"{name} handled jobs again: {peer['samples']['handled_again']}")
    if result["bars"]:
        console.print(_verdicts(result["bars"]))


def _verdicts(cleared: list[dict[str, Any]]) -> Table:
    table = Table(title="BARS")
    for title in ("bar", "measured", "bound", ""):
        table.add_column(title)
    for bar in cleared:
        verdict = "[green]met[/]" if bar["met"] else "[red]MISSED[/]"
        bound = f"{bar['kind']} {bar['bound']:.2f}"
        table.add_row(bar["bar"], f"{bar['value']:.2f}", bound, verdict)
    return table


def picture(result: dict[str, Any]) -> str:
    """The figures as an SVG: a small chart of bars for each measurement."""
    peers = result["peers"]
    row, head, width, left, reach = 20, 34, 380, 104, 190
    tall = head + row * len(peers) + 14
    facts = result["machine"]
    parts = [
        (
            f'<text x="16" y="26" class="title">Jobs on one durable PostgreSQL '
            f"{escape(result['server']['server_version'])}</text>"
        ),
        (
            f'<text x="16" y="44" class="note">{facts["cores"]} cores, {escape(facts["cpu"])}, '
            f"Python {facts['python']}; no-op jobs, median of {result['repeat']}; "
            f"{result['when'][:10]}</text>"
        ),
    ]
    for index, (key, title, unit) in enumerate(COLUMNS):
        x, y = 16 + width * (index % 2), 62 + tall * (index // 2)
        better = "less is better" if unit == "ms" else "more is better"
        parts.append(f'<text x="{x}" y="{y + 16}" class="head">{title}, {unit} ({better})</text>')
        top = max(peer["figures"][key] for peer in peers.values())
        for line, (name, peer) in enumerate(peers.items()):
            value = peer["figures"][key]
            at = y + head - 8 + row * line
            long = max(1.0, reach * value / top)
            parts += [
                f'<text x="{x + left - 8}" y="{at + 12}" class="name">{escape(name)}</text>',
                (
                    f'<rect x="{x + left}" y="{at}" width="{long:.1f}" height="15" rx="2" '
                    f'fill="{COLOURS.get(name, "#777777")}"/>'
                ),
                (
                    f'<text x="{x + left + long + 6:.1f}" y="{at + 12}" class="value">'
                    f"{_number(value, unit)}</text>"
                ),
            ]
    high = 62 + tall * ((len(COLUMNS) + 1) // 2) + 6
    style = (
        "text{font-family:sans-serif;font-size:12px;fill:#1f2933}"
        ".title{font-size:16px;font-weight:bold}.note{font-size:11px;fill:#52606d}"
        ".head{font-weight:bold}.name{text-anchor:end}.value{font-size:11px}"
    )
    wide = 2 * width + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        f'width="{wide}" height="{high}" role="img">'
        f"<title>Jobs on one durable PostgreSQL</title><style>{style}</style>"
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>' + "".join(parts) + "</svg>\n"
    )
