"""How ``handfast demo`` tells its story: one line for each fact, with the number that proves it."""

import contextlib
import logging
import shlex
from collections.abc import Iterator

from rich.markup import escape

from handfast.base.logs import get_logger
from handfast.base.settings import Settings
from handfast.demo.stage import ShownFact
from handfast.demo.story import play_story
from handfast.edge.cli.speaking.output import OUT

log = get_logger(__name__)


async def telling(settings: Settings, url: str, *, traffic: bool) -> None:
    """Tell it, then keep the demo's workers at work until cancelled."""
    OUT.print("\nWhat the engine promises, with real jobs:\n", style="bold")
    try:
        with _calm(settings):
            await play_story(settings, where(settings), url, print_fact, end, traffic=traffic)
    except Exception as error:
        log.exception("story_ended")
        OUT.print(
            f"\nThe demo's own workers have ended: {error!r}. All else goes on; start it again.",
            markup=False,
        )


def print_fact(fact: ShownFact) -> None:
    mark = "[green]✓[/]" if fact.true else "[red]✗[/]"
    OUT.print(f"{mark} {escape(fact.title):<50}[dim]{escape(fact.proof)}[/]")
    if fact.hint:
        OUT.print(f"  {fact.hint}", markup=False, style="cyan", no_wrap=True)


def end(seconds: float) -> None:
    OUT.print(f"\nTold in {seconds:.0f} s. The workers go on; Ctrl-C stops everything.")


def where(settings: Settings) -> str:
    """What a command needs to be told to look at the demo's database."""
    return f" --data-dir {shlex.quote(str(settings.data_dir))}" if settings.embedded else ""


@contextlib.contextmanager
def _calm(settings: Settings) -> Iterator[None]:
    """The story's failures are on purpose: no log lines between the facts, unless asked for."""
    if "log_level" in settings.model_fields_set:
        yield
        return
    loud = [logging.getLogger(name) for name in ("handfast.engine", "handfast.apps")]
    before = [logger.level for logger in loud]
    for logger in loud:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loud, before, strict=True):
            logger.setLevel(level)
