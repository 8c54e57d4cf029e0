"""What the figures of bench/predictions.py look like: tables, our bars, an SVG picture."""

from typing import Any
from xml.sax.saxutils import escape

from rich.console import Console
from rich.table import Table

NAMES = {"model": "the model", "elo": "Elo, ordered logit", "frequencies": "frequencies"}
STYLE = (
    "text{font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12px;fill:#1f2933}"
    ".title{font-size:16px;font-weight:bold}.note{font-size:11px;fill:#52606d}"
    ".head{font-weight:bold}.name{text-anchor:end}.value{font-size:11px}"
    ".middle{text-anchor:middle;font-size:11px}.ground{fill:#ffffff}"
    ".model{fill:#b23a48}.elo{fill:#3f7cac}.frequencies{fill:#9aa5b1}"
    ".axis{stroke:#9aa5b1;fill:none}.dashed{stroke-dasharray:4 4}"
    ".interval{stroke:#b23a48;stroke-width:2}.spot{fill-opacity:.75}"
    "@media (prefers-color-scheme: dark){text{fill:#e4e7eb}.note{fill:#9aa5b1}"
    ".ground{fill:#1f2933}.model{fill:#e0707d}.interval{stroke:#e0707d}.elo{fill:#6fa8d6}}"
)
METRIC_NAMES = {"rps": "RPS", "log_loss": "log-loss"}


def bars(part: dict[str, Any]) -> list[dict[str, Any]]:
    """Better than frequencies: all of the interval is below 0. Not worse than Elo: not all of it is
    above. Of the matches before the warm-up nothing is promised."""
    if part["name"] == "from the first match":
        return []
    found = []
    for metric, said in METRIC_NAMES.items():
        against = part["against"]
        for rival, bound, promise in (
            ("frequencies", "high", "better than"),
            ("elo", "low", "not worse than"),
        ):
            value = against[rival][metric][bound]
            found.append(
                {
                    "bar": f"{part['name']}: {promise} {NAMES[rival]}, {said} ({bound} end)",
                    "value": value,
                    "bound": 0.0,
                    "kind": "below" if bound == "high" else "at most",
                    "met": value < 0 if bound == "high" else value <= 0,
                }
            )
    return found


def show(result: dict[str, Any]) -> None:
    console = Console()
    said = result["seasons"]
    console.print(
        f"{said['matches']:,} matches of {', '.join(said['competitions'])}, {said['first']} to "
        f"{said['last']}; scored from the {result['warm_up']}th result of each competition on",
        highlight=False,
    )
    for part in result["parts"]:
        console.print(_table(part))
    table = Table(title="By competition: RPS")
    for title in ("", "matches", *NAMES.values(), "model - Elo (95%)"):
        table.add_column(title, justify="right" if title else "left")
    for part in result["competitions"]:
        figures = [f"{part['figures'][who]['rps']:.4f}" for who in NAMES]
        against = _interval(part["against"]["elo"]["rps"])
        table.add_row(part["name"], str(part["matches"]), *figures, against)
    console.print(table)
    verdicts = Table(title="BARS")
    for title in ("bar", "measured", "bound", ""):
        verdicts.add_column(title)
    for bar in result["bars"]:
        verdict = "[green]met[/]" if bar["met"] else "[red]MISSED[/]"
        verdicts.add_row(bar["bar"], f"{bar['value']:+.4f}", f"{bar['kind']} 0", verdict)
    console.print(verdicts)


def _table(part: dict[str, Any]) -> Table:
    table = Table(title=f"{part['name']}: {part['matches']:,} matches")
    titles = ("", "RPS", "log-loss", "right", "calibration", "model's RPS less (95%)", "log-loss")
    for title in titles:
        table.add_column(title, justify="right" if title else "left")
    for who, name in NAMES.items():
        figures, against = part["figures"][who], part["against"].get(who)
        table.add_row(
            name,
            f"{figures['rps']:.4f}",
            f"{figures['logLoss']:.4f}",
            f"{figures['right']:.1%}",
            f"{figures['calibrationError']:.3f}",
            *((_interval(against[metric]) for metric in METRIC_NAMES) if against else ("", "")),
        )
    return table


def _interval(found: dict[str, float]) -> str:
    return f"{found['difference']:+.4f} ({found['low']:+.4f} to {found['high']:+.4f})"


def picture(result: dict[str, Any]) -> str:
    """RPS of each part; the model against Elo with its interval, by competition; calibration."""
    said = result["seasons"]
    note = (
        f"{said['matches']:,} matches, {said['first']} to {said['last']}, walked day by day; "
        f"{result['model']}; less is better"
    )
    title = "Predictions, against frequencies and against Elo"
    body = [
        f'<text x="16" y="26" class="title">{title}</text>',
        f'<text x="16" y="44" class="note">{escape(note)}</text>',
        *_rps(result["parts"], 16, 70),
        *_against_elo(result, 16, 345),
        *_calibration(result["parts"][0], 470, 70),
    ]
    width, high = 860, 395 + 20 * (len(result["competitions"]) + len(result["parts"]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high}" '
        f'width="{width}" height="{high}" role="img" aria-labelledby="t d">'
        f'<title id="t">{title}</title><desc id="d">{escape(_described(result))}</desc>'
        f'<style>{STYLE}</style><rect width="{width}" height="{high}" class="ground"/>'
        + "".join(body)
        + "</svg>\n"
    )


def _described(result: dict[str, Any]) -> str:
    """For those who do not see it."""
    said = [
        f"{part['name']}, {part['matches']} matches: "
        + ", ".join(f"{name} {part['figures'][who]['rps']:.4f}" for who, name in NAMES.items())
        + f"; the model less Elo {_interval(part['against']['elo']['rps'])}."
        for part in result["parts"]
    ]
    off = result["parts"][0]["figures"]["model"]["calibrationError"]
    off_by = f"What was said and what happened are {off:.1%} apart on average."
    return " ".join(["RPS, less is better.", *said, off_by])


def _rps(parts: list[dict[str, Any]], x: int, y: int) -> list[str]:
    left, reach = 150, 210
    found = [f'<text x="{x}" y="{y + 12}" class="head">RPS</text>']
    shown = [part for part in parts if part["name"] != "from the first match"]
    top = max(part["figures"][who]["rps"] for part in shown for who in NAMES)
    at = y + 24
    for part in shown:
        found.append(
            f'<text x="{x}" y="{at + 12}">{escape(part["name"])}: {part["matches"]:,}</text>'
        )
        for who, name in NAMES.items():
            at += 18
            value = part["figures"][who]["rps"]
            long = reach * value / top
            found += [
                f'<text x="{x + left - 8}" y="{at + 12}" class="name">{name}</text>',
                (
                    f'<rect x="{x + left}" y="{at}" width="{long:.1f}" height="14" rx="2" '
                    f'class="{who}"/>'
                ),
                (
                    f'<text x="{x + left + long + 6:.1f}" y="{at + 11}" class="value">'
                    f"{value:.4f}</text>"
                ),
            ]
        at += 24
    return found


def _against_elo(result: dict[str, Any], x: int, y: int) -> list[str]:
    """Dots left of the line: the model is better."""
    left, reach = 150, 210
    every = [*result["parts"], *result["competitions"]]
    far: float = max(
        abs(part["against"]["elo"]["rps"][end]) for part in every for end in ("low", "high")
    )
    middle = x + left + reach / 2

    def place(value: float) -> float:
        return middle + value / far * reach / 2

    bottom = y + 24 + 20 * len(every)
    found = [
        f'<text x="{x}" y="{y + 12}" class="head">The model\'s RPS less Elo\'s, with 95%</text>',
        f'<line x1="{middle}" y1="{y + 20}" x2="{middle}" y2="{bottom}" class="axis"/>',
    ]
    for line, part in enumerate(every):
        at = y + 34 + 20 * line
        value = part["against"]["elo"]["rps"]
        low, mean, high = (place(value[end]) for end in ("low", "difference", "high"))
        found += [
            f'<text x="{x + left - 8}" y="{at + 4}" class="name">{escape(part["name"])}</text>',
            (f'<line x1="{low:.1f}" y1="{at}" x2="{high:.1f}" y2="{at}" class="interval"/>'),
            f'<circle cx="{mean:.1f}" cy="{at}" r="4" class="model"/>',
            (
                f'<text x="{x + left + reach + 8}" y="{at + 4}" class="value">'
                f"{value['difference']:+.4f}</text>"
            ),
        ]
    return found


def _calibration(part: dict[str, Any], x: int, y: int) -> list[str]:
    """What was said against what happened; the larger a dot, the more often it was said."""
    side, left, top = 320, x + 40, y + 24
    bottom = top + side
    found = [
        f'<text x="{x}" y="{y + 12}" class="head">Said, happened: {escape(part["name"])}</text>',
        (f'<rect x="{left}" y="{top}" width="{side}" height="{side}" class="axis"/>'),
        (f'<line x1="{left}" y1="{bottom}" x2="{left + side}" y2="{top}" class="axis dashed"/>'),
    ]
    for tenth in range(0, 11, 2):
        along = side * tenth / 10
        found += [
            f'<text x="{left + along}" y="{bottom + 16}" class="middle">{tenth * 10}%</text>',
            f'<text x="{left - 6}" y="{bottom - along + 4}" class="name">{tenth * 10}%</text>',
        ]
    most = max(b["count"] for b in part["figures"]["model"]["calibration"])
    for spot in part["figures"]["model"]["calibration"]:
        size = 3 + 9 * (spot["count"] / most) ** 0.5
        found.append(
            f'<circle cx="{left + side * spot["said"]:.1f}" '
            f'cy="{bottom - side * spot["happened"]:.1f}" r="{size:.1f}" '
            f'class="model spot"><title>{spot["count"]:,} statements</title></circle>'
        )
    return found
