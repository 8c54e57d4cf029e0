"""How `handfast fixtures` speaks to people."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from handfast.apps.fixtures.ingest import IngestReport
from handfast.apps.fixtures.names import Alias
from handfast.apps.fixtures.planning import PlanReport
from handfast.apps.fixtures.shown import Fixture, FixtureDetail, FixturePage, Step
from handfast.apps.fixtures.zones import ZoneChange
from handfast.edge.cli.jobs import coloured, when
from handfast.edge.cli.listing import Listing
from handfast.edge.cli.output import ERR, OUT

REJECTS_SHOWN = 20
DECISIONS_SHOWN = 20
MOVES_SHOWN = 10
_COLOURS = {"live": "cyan", "postponed": "yellow", "cancelled": "dim", "abandoned": "yellow"}


def tell_ingest(report: IngestReport, rejects: Path | None) -> None:
    OUT.print(
        f"{report.read} read from {report.documents} documents: {report.created} new, "
        f"{report.changed} changed, {report.unchanged} as before, {len(report.rejects)} rejected."
    )
    details = {
        "moved": report.moved,
        "postponed or cancelled": report.cancelled,
        "reinstated": report.reinstated,
        "new results": report.results,
        "results changed": report.results_changed,
        "named more than once": report.repeated,
        "without a time, so not planned": report.untimed,
        "new teams": len(report.new_teams),
    }
    for said, count in details.items():
        if count:
            OUT.print(f"  {count} {said}")
    tell_plan(report.planned)
    for note in [*report.notes, *report.warnings][:REJECTS_SHOWN]:
        OUT.print(f"  {note.source} {note.place}: {note.says}", markup=False, style="yellow")
    if not report.rejects:
        return
    table = Listing("source", "place", "reason", prose=("reason",))
    for one in report.rejects[:REJECTS_SHOWN]:
        table.add_row(one.source, one.place, one.reason)
    ERR.print(table)
    more = len(report.rejects) - REJECTS_SHOWN
    if more > 0:
        where = f"all are in {rejects}" if rejects else "--rejects FILE writes all"
        ERR.print(f"and {more} more; {where}.", markup=False)


def tell_plan(report: PlanReport) -> None:
    said = ", ".join(f"{count} {name}" for name, count in report.decided.items())
    OUT.print(f"Planning: {said or 'nothing to do'}; {report.open} fixtures have steps to come.")
    if report.undeclared:
        OUT.print(
            f"{report.undeclared} fixtures wait for a program that declares their pipeline; "
            "`handfast up` and `handfast worker` declare football.",
            style="yellow",
        )


def tell_page(page: FixturePage) -> None:
    """A column for each step: what is done has a tick, what waits says when it is due."""
    names = list(dict.fromkeys(step.step for one in page.fixtures for step in one.steps))
    several = len({one.fixture.competition for one in page.fixtures}) > 1
    if page.fixtures and not several:
        only = page.fixtures[0].fixture
        OUT.print(f"{only.competition_name} ({only.competition})", markup=False, style="bold")
    table = Listing(
        *("id", "kickoff (UTC)", "match", *names, *(["in"] if several else [])),
        prose=("match",),
        markup=True,
    )
    for listed in page.fixtures:
        one, steps = listed.fixture, {step.step: step for step in listed.steps}
        standing = "" if one.status == "scheduled" else f"  {_standing(one)}"
        table.add_row(
            str(one.id),
            _kickoff(one),
            f"{escape(one.home)} – {escape(one.away)}{standing}",  # noqa: RUF001
            *(_briefly(steps[name], one) if name in steps else "" for name in names),
            *([escape(one.competition)] if several else []),
        )
    OUT.print(
        table
        if page.fixtures
        else "No fixtures here. Bring some: handfast fixtures ingest FILE; --all shows past ones."
    )
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim", markup=False)


def tell_fixture(found: FixtureDetail) -> None:
    one = found.fixture
    OUT.print(f"[bold]{escape(one.home)} – {escape(one.away)}[/]  {_standing(one)}")  # noqa: RUF001
    for name, value in {
        "id": f"{one.id}  {one.external_id or 'without an external id, so not planned'}",
        "in": f"{one.competition_name} {one.season}, {one.round or 'no round'}",
        "kickoff": f"{_kickoff(one)} UTC" if one.kickoff else f"{_kickoff(one)}, so not planned",
        "said as": one.kickoff_local,
        "pipeline": found.pipeline,
        "from": found.source,
    }.items():
        if value:
            OUT.print(f"  {name:<9}{value}", markup=False)
    table = Listing("step", "state", "due (UTC)", "made", "", prose=("",), markup=True)
    for step in found.steps:
        table.add_row(step.step, _state(step), when(step.due_at), when(step.made_at), _marks(step))
    OUT.print(table)
    for name, document in found.results.items():
        _tell_document(name, document)
    for change in found.result_changes:
        OUT.print(
            f"{when(change.at)} the result was changed from {change.old_home}:{change.old_away} "
            f"to {change.new_home}:{change.new_away} by {change.source}",
            markup=False,
            style="yellow",
        )
    for said in found.decisions[:DECISIONS_SHOWN]:
        OUT.print(
            f"{when(said.at)} {said.step or 'fixture'} {said.decision}: {said.reason}",
            markup=False,
            style="dim",
        )


def tell_alias(names: Sequence[str], found: Sequence[Alias]) -> None:
    for name, one in zip(names, found, strict=True):
        said = f"{name} is {one.team}" + ("." if one.declared else ", as it was.")
        OUT.print(f"{said} {len(one.moved)} fixtures came along.", markup=False)
        if one.twice:
            listed = ", ".join(map(str, one.twice))
            OUT.print(f"There twice, and cancelled: {listed}", markup=False, style="yellow")


def tell_zone(found: ZoneChange) -> None:
    move, begun = len(found.moves), sum(one.begun for one in found.moves)
    OUT.print(
        f"{found.competition}: {found.was or 'no zone'} → {found.zone}. {move} kickoffs "
        f"{'moved' if found.applied else 'would move'}, {begun} of them of matches that had begun.",
        markup=False,
    )
    for one in found.moves[:MOVES_SHOWN]:
        said = f"{one.before:%Y-%m-%d %H:%M} → {one.after:%Y-%m-%d %H:%M} UTC"
        OUT.print(f"  {one.fixture}  {said}  {one.home} – {one.away}", markup=False)  # noqa: RUF001
    if move > MOVES_SHOWN:
        OUT.print(f"  and {move - MOVES_SHOWN} more; --json has all.", style="dim")
    if found.applied:
        tell_plan(found.planned)
    else:
        OUT.print("Nothing was changed. Do it: the same with --apply", style="yellow")


def _tell_document(step: str, document: Any) -> None:
    """What a person would read first; `--json` has all of it."""
    said = document.get("summary") if isinstance(document, dict) else None
    if isinstance(said, list):
        said = "\n".join(str(line) for line in said)
    OUT.print(f"\n[bold]{step}[/]")
    OUT.print(str(said or _lineups(document) or document), markup=False)


def _lineups(document: Any) -> str | None:
    if not isinstance(document, dict) or not isinstance(document.get("home"), dict):
        return document.get("says") if isinstance(document, dict) else None
    sides = []
    for side in ("home", "away"):
        players = document[side].get("starting", []) if isinstance(document[side], dict) else []
        names = ", ".join(str(player.get("name")) for player in players if isinstance(player, dict))
        sides.append(f"{side}: {names}")
    return "\n".join(sides)


def _kickoff(one: Fixture) -> str:
    if one.kickoff is not None:
        return f"{one.kickoff:%a %Y-%m-%d %H:%M}"
    return f"{one.day} no time" if one.day else "no time"


def _standing(one: Fixture) -> str:
    if one.home_goals is not None:
        played = f"{one.home_goals}:{one.away_goals}"
        return played if one.status == "finished" else f"{played} {one.status}"
    colour = _COLOURS.get(one.status)
    return f"[{colour}]{one.status}[/]" if colour else one.status


def _briefly(step: Step, one: Fixture) -> str:
    if step.state == "succeeded" or (step.state in (None, "skipped") and step.current):
        return "[green]✓[/]" if step.current or step.made_at is None else "[yellow]old[/]"
    if step.state in ("scheduled", "blocked") and step.due_at:
        near = one.kickoff is not None and step.due_at.date() == one.kickoff.date()
        return f"{step.due_at:%H:%M}" if near else f"{step.due_at:%a %H:%M}"
    return _state(step)


def _state(step: Step) -> str:
    if step.state is None:
        return "[green]made[/]" if step.current else "[dim]–[/]"  # noqa: RUF001
    return coloured(step.state)


def _marks(step: Step) -> str:
    marks = [
        "late" if step.late else "",
        "retroactive" if step.retroactive else "",
        "for another kickoff" if step.made_at and not step.current else "",
        step.model or "",
        step.reason or "",
    ]
    return escape(", ".join(mark for mark in marks if mark))
