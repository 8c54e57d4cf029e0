"""What ``handfast offers`` answers, for people."""

from collections.abc import Sequence
from datetime import date

from handfast.apps.offers.explaining.comparing import ComparedSelection
from handfast.apps.offers.explaining.pairs import PairExplained, PickShown, SidedFit
from handfast.apps.offers.explaining.views import OfferStats
from handfast.apps.offers.rules.score import shown
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.output import OUT

BAR = 30  # characters of the longest bar


def print_explained(found: PairExplained) -> None:
    OUT.print(found.verdict, markup=False)
    if found.score is not None:
        table = Listing("", "N", "of D", "questions", "themes", right=("N", "of D", "questions"))
        for who, fit in (("the user sees", found.sees), ("is seen", found.is_seen)):
            if fit is not None:
                table.add_row(who, *_fit(fit))
        OUT.print(table)
        OUT.print(
            f"Fit {(found.fit or 0) / 100:.2f}, score {found.score / 100:.2f} of "
            f"{(found.needed or 0) / 100:.2f} that are needed: shown as {shown(found.score)}."
        )
    for whose, got in ((found.user_id, found.got), (found.candidate_id, found.other_got)):
        if got:
            OUT.print(f"{whose} got:", markup=False)
            OUT.print(_picks(got))


def _fit(fit: SidedFit) -> tuple[str, str, str, str]:
    return f"{fit.reached:,}", f"{fit.possible:,}", str(fit.shared), ", ".join(fit.themes)


def _picks(got: Sequence[PickShown]) -> Listing:
    table = Listing("place", "score", "why", "candidate", right=("place", "score"))
    for pick in got:
        table.add_row(str(pick.place), str(shown(pick.score)), pick.kind, str(pick.candidate_id))
    return table


def print_compared(day: date, found: Sequence[ComparedSelection]) -> None:
    OUT.print(f"The snapshot of {day}:")
    names = ("selection", "offers", "mutual", "never shown", "Gini", "mean score", "matches")
    table = Listing(*names, right=names[1:])
    for one in found:
        figures = one.figures
        matches = "" if one.matches_expected is None else f"{one.matches_expected:.1f}"
        table.add_row(
            one.selection + (" (chosen)" if one.chosen else ""),
            f"{figures.offers:,}",
            f"{figures.mutual_share / 100:.1f} %",
            f"{figures.never_shown:,}",
            f"{figures.exposure_gini / 10_000:.3f}",
            f"{figures.mean_score / 100:.2f}",
            matches,
        )
    OUT.print(table)
    print_bars("shown to each other", {one.selection: _both(one) for one in found})
    print_bars("never shown", {one.selection: one.figures.never_shown for one in found})
    if all(one.matches_expected is None for one in found):
        OUT.print("Nobody has decided on an offer yet: no matches can be expected.", style="dim")


def _both(one: ComparedSelection) -> int:
    return one.figures.offers * one.figures.mutual_share // 10_000


def print_bars(title: str, values: dict[str, int]) -> None:
    """A plot that needs nothing but a terminal."""
    OUT.print(title, style="bold")
    most = max(values.values(), default=0)
    table = Listing("", " ", "  ", titled=False, right=("  ",))
    for name, value in values.items():
        table.add_row(name, "█" * (BAR * value // most if most else 0), f"{value:,}")
    OUT.print(table)


def print_stats(found: OfferStats) -> None:
    OUT.print(f"{found.first} to {found.last}:")
    table = Listing("", "what became of them", "count", right=("count",))
    for what, counts in (("sets", found.sets), ("offers", found.offers)):
        for name, count in counts.items():
            table.add_row(what, name.replace("_", " "), f"{count:,}")
    table.add_row("matches", "made", f"{found.matches:,}")
    table.add_row("matches", "closed since", f"{found.matches_closed:,}")
    OUT.print(table)
