"""What the figures of bench/runs.py look like: tables, our bars, an SVG picture."""

from typing import Any
from xml.sax.saxutils import escape

from rich.console import Console
from rich.table import Table

TIMES = 3.0  # the sum of what a run is made of
GROWTH = 1.5  # ten times as many rows; an index one level deeper
LOAD_SECONDS = 120.0  # for 4.1 M rows on two cores
FULL_ROWS = 4_100_000
LOAD_ROWS_MIN = 1_000_000  # of fewer, what does not depend on their number counts too much
MAP_PAGES = 2.0  # of the table's visibility map, which says that its rows need not be looked at

ROWS = (
    ("run", "POST to ready"),
    ("post", "durable no-op POST"),
    ("noop", "no-op job, enqueue to handler"),
    ("calls", "count_matches + get_top_matches"),
    ("get", "GET of a ready run"),
)
COLOURS = {
    "run": "#b23a48",
    "post": "#9aa5b1",
    "noop": "#3f7cac",
    "calls": "#95af63",
    "get": "#c98b4a",
}


def bars(sizes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each bar with its figure, for each size; growth for two."""
    found: list[dict[str, Any]] = []

    def bar(what: str, value: float, bound: float) -> None:
        found.append(
            {"bar": what, "value": value, "bound": bound, "kind": "at most", "met": value <= bound}
        )

    for size in sizes:
        figures, rows = size["figures"], f"{size['rows']:,} rows"
        for share in ("p50", "p99"):
            parts = sum(figures[f"{part}_{share}"] for part in ("post", "noop", "calls"))
            bar(
                f"{rows}: POST to ready / sum of its parts, {share}",
                figures[f"run_{share}"] / parts,
                TIMES,
            )
        for name in ("count_matches", "get_top_matches"):
            index_only = size["plans"][name]["index_only"]
            bar(f"{rows}: {name}, scans that are not index-only", float(not index_only), 0.0)
        pages = size["plans"]["table_pages_of_a_call"]
        bar(f"{rows}: pages a call reads that are not the index's", pages, MAP_PAGES)
    if sizes[0]["rows"] >= LOAD_ROWS_MIN:
        seconds = sizes[0]["load_seconds"] * FULL_ROWS / sizes[0]["rows"]
        bar(f"seconds to load {FULL_ROWS:,} rows from CSV", seconds, LOAD_SECONDS)
    if len(sizes) > 1:
        large, small = sizes[0], sizes[-1]
        for name, what in (
            ("run_p50", "POST to ready"),
            ("calls_p50", "the two calls"),
            ("get_p50", "GET"),
        ):
            ratio = large["figures"][name] / small["figures"][name]
            bar(f"growth of {what}, p50: {large['rows']:,} / {small['rows']:,} rows", ratio, GROWTH)
    return found


def show(result: dict[str, Any]) -> None:
    console = Console()
    for size in result["sizes"]:
        table = Table(title=f"Match runs over {size['rows']:,} pairs")
        for title in ("what", "p50 ms", "p99 ms"):
            table.add_column(title, justify="left" if title == "what" else "right")
        figures = size["figures"]
        for name, title in ROWS:
            table.add_row(title, f"{figures[f'{name}_p50']:.2f}", f"{figures[f'{name}_p99']:.2f}")
        console.print(table)
        console.print(
            f"{figures['runs_per_second']:,.0f} runs/s with one worker; scored and stored in "
            f"{size['generate_seconds']:.1f} s, loaded from CSV in {size['load_seconds']:.1f} s",
            highlight=False,
        )
    verdicts = Table(title="BARS")
    for title in ("bar", "measured", "bound", ""):
        verdicts.add_column(title)
    for bar in result["bars"]:
        verdict = "[green]met[/]" if bar["met"] else "[red]MISSED[/]"
        verdicts.add_row(
            bar["bar"], f"{bar['value']:.2f}", f"{bar['kind']} {bar['bound']:.2f}", verdict
        )
    console.print(verdicts)


def picture(result: dict[str, Any]) -> str:
    """For each size two charts: p50 and p99, the run beside what it is made of."""
    row, wide, left, reach = 20, 420, 200, 150
    tall = 40 + row * len(ROWS)
    facts = result["machine"]
    parts = [
        '<text x="16" y="26" class="title">Match runs, from the click to the matches</text>',
        (
            f'<text x="16" y="44" class="note">{facts["cores"]} cores, {escape(facts["cpu"])}, '
            f"Python {facts['python']}; {result['when'][:10]}; milliseconds, less is better</text>"
        ),
    ]
    for line, size in enumerate(result["sizes"]):
        for column, share in enumerate(("p50", "p99")):
            x, y = 16 + wide * column, 62 + tall * line
            parts.append(
                f'<text x="{x}" y="{y + 16}" class="head">{size["rows"]:,} pairs, {share}</text>'
            )
            values = {name: size["figures"][f"{name}_{share}"] for name, _ in ROWS}
            top = max(values.values())
            for at, (name, title) in enumerate(ROWS):
                up = y + 26 + row * at
                long = max(1.0, reach * values[name] / top)
                parts += [
                    f'<text x="{x + left - 8}" y="{up + 12}" class="name">{escape(title)}</text>',
                    (
                        f'<rect x="{x + left}" y="{up}" width="{long:.1f}" height="15" rx="2" '
                        f'fill="{COLOURS[name]}"/>'
                    ),
                    (
                        f'<text x="{x + left + long + 6:.1f}" y="{up + 12}" class="value">'
                        f"{values[name]:.2f}</text>"
                    ),
                ]
    width, high = 2 * wide + 24, 62 + tall * len(result["sizes"]) + 6
    style = (
        "text{font-family:sans-serif;font-size:12px;fill:#1f2933}"
        ".title{font-size:16px;font-weight:bold}.note{font-size:11px;fill:#52606d}"
        ".head{font-weight:bold}.name{text-anchor:end}.value{font-size:11px}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high}" '
        f'width="{width}" height="{high}" role="img">'
        f"<title>Match runs, from the click to the matches</title><style>{style}</style>"
        f'<rect width="{width}" height="{high}" fill="#ffffff"/>' + "".join(parts) + "</svg>\n"
    )
