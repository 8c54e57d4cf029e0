"""The documents are true: complete where they list, linked where they point, and they build."""

import fcntl
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from cyclopts import App

from handfast.base.errors import HandfastError
from handfast.base.settings import NOT_SETTINGS, about, variable_name
from handfast.db.migrations.files import BASELINE, SCHEMAS, shipped
from handfast.edge.cli.app import COMMANDS, assemble
from handfast.edge.cli.database.doctor import DOCTOR_EXIT_CODE
from handfast.edge.stopping import EXIT_STUCK
from handfast.wiring import CAPABILITIES, every_setting
from tests.support.error_tree import every_error
from tests.support.rendered import meant, shown

SETTINGS = every_setting()
ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("[!.]*/README.md")])
OF_THE_SITE = sorted((ROOT / "docs").rglob("*.md"))
PICTURES = sorted((ROOT / "docs" / "assets").glob("*.svg"))

EXISTS = "What exists today"  # a heading of README.md

FENCE = re.compile(r"^(`{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no heading {heading!r}"
    return found[1]


# --- what is shown ----------------------------------------------------------------------------


def test_shown_numbers_of_migrations_are_the_number_of_migrations() -> None:
    shown = re.compile(
        r"all (\d+) applied|migrations +(\d+) to apply|\"migrationsApplied\": ?(\d+)"
    )
    found = {
        f"{page_name(page)}: {match[0]}": next(int(one) for one in match.groups() if one)
        for page in PAGES
        for match in shown.finditer(page.read_text())
    }
    assert len(found) >= 4
    assert {said for said, count in found.items() if count != len(shipped().migrations)} == set()


def test_shown_folders_of_the_demo_carry_the_baseline() -> None:
    shown = re.findall(r"handfast/(demo-?\w*)", (ROOT / "README.md").read_text())
    assert len(shown) >= 2
    assert set(shown) == {f"demo-{BASELINE}"}


def test_shown_schemas_are_the_schemas() -> None:
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    assert set(re.findall(r"^ handfast_(\w+) +\| handfast_app$", tutorial, re.MULTILINE)) == set(
        SCHEMAS
    )
    own = section((ROOT / "docs" / "guides" / "own-postgres.md").read_text(), "The database")
    assert set(re.findall(r"`handfast_(\w+)`", own)) == set(SCHEMAS)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_tables_are_whole(page: Path) -> None:
    """A table is a title, a line of dashes and rows, and ends with an empty line."""
    lines = ["", *FENCE.sub("", page.read_text()).splitlines(), ""]
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        if line.startswith("|"):
            begins = not before.startswith("|")
            assert not begins or re.fullmatch(r"\|[-|: ]+\|", after), f"no table begins at {line!r}"
            assert after.startswith("|") or not after, f"{after!r} is not a row"


def test_the_site_lists_each_page_once() -> None:
    listed = re.findall(r"^ +- .*?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert len(listed) > 30
    assert sorted(set(listed)) == sorted(listed)


def test_the_readme_has_every_capability() -> None:
    rows = re.findall(
        r"^\| (.+?) \|", section((ROOT / "README.md").read_text(), EXISTS), re.MULTILINE
    )
    named = " ".join(rows).lower()
    called = {"idempotency": "idempotency keys", "limits": "rate limits", "identity": "sign-in"}
    called |= {"runs": "match runs"}
    assert [one.name for one in CAPABILITIES if called.get(one.name, one.name) not in named] == []


def test_the_page_of_capabilities_is_their_list() -> None:
    page = (ROOT / "docs" / "concepts" / "capabilities.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.+) \|$", section(page, "Capabilities"), re.MULTILINE)
    assert [(name, tuple(re.findall(r"`(\w+)`", requires))) for name, requires in rows] == [
        (one.name, one.requires)
        for one in sorted(CAPABILITIES, key=lambda one: [row[0] for row in rows].index(one.name))
    ]


def test_the_lanes_of_a_worker_and_the_names_of_the_setting_are_complete() -> None:
    worker = section((REFERENCE / "cli.md").read_text(), "`handfast worker`")
    (lanes,) = re.findall(r"^\| `--lanes` .*$", worker, re.MULTILINE)
    assert {lane for one in CAPABILITIES for lane in one.lanes} - set(
        re.findall(r"`(\w+)`", lanes)
    ) == set()
    (names,) = re.findall(
        r"^- `HANDFAST_CAPABILITIES` .*$", (REFERENCE / "settings.md").read_text(), re.MULTILINE
    )
    assert {one.name for one in CAPABILITIES} - set(re.findall(r"`(\w+)`", names)) == set()


def test_commands_that_a_clone_prints_are_those_that_it_has() -> None:
    """Doctor and the demo are shown as ./run prints them."""
    for page in (ROOT / "README.md", ROOT / "docs" / "tutorial.md"):
        for fence in re.findall(r"^```text$(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            assert not re.search(r"\bhandfast (?:migrate|fixtures|jobs|dead|up)\b", fence), fence


# --- reference --------------------------------------------------------------------------------


@pytest.mark.parametrize("field", SETTINGS.model_fields)
def test_every_setting_has_a_row(field: str) -> None:
    text = (REFERENCE / "settings.md").read_text()
    rows = [
        line
        for line in text.splitlines()
        if line.startswith(f"| `{variable_name(field, SETTINGS)}` |")
    ]
    assert len(rows) == 1, f"docs/reference/settings.md has {len(rows)} rows for {field}"
    entry = about(field, SETTINGS)
    assert f"| {entry['allowed']} |" in rows[0]
    assert f"| `{entry['example']}` |" in rows[0]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_no_page_names_a_setting_that_is_not_there(page: Path) -> None:
    known = {variable_name(field, SETTINGS) for field in SETTINGS.model_fields} | NOT_SETTINGS
    assert set(re.findall(r"HANDFAST_[A-Z_]*[A-Z]", page.read_text())) <= known


def commands(app: App, path: str = "handfast") -> Iterator[tuple[str, App]]:
    for name in app:
        if not name.startswith("-"):
            yield f"{path} {name}", app[name]
            yield from commands(app[name], f"{path} {name}")


CLI = list(commands(assemble(listing=False)))


def test_the_commands_are_found() -> None:
    assert {f"handfast {name}" for name in COMMANDS} < {path for path, _ in CLI}


@pytest.mark.parametrize(("path", "command"), CLI, ids=[path for path, _ in CLI])
def test_every_command_and_option_is_described(path: str, command: App) -> None:
    described = section((REFERENCE / "cli.md").read_text(), f"`{path}`")
    if command.default_command is not None:
        options = {
            name
            for argument in command.assemble_argument_collection()
            for name in argument.names
            if name.startswith("--")
        }
        assert set(re.findall(r"^\| `(--[\w-]+)` \|", described, re.MULTILINE)) == options


def test_every_exit_code_is_described() -> None:
    described = section((REFERENCE / "cli.md").read_text(), "Exit codes")
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", described, re.MULTILINE)}
    assert codes == {0, 2, 130, DOCTOR_EXIT_CODE, EXIT_STUCK} | {
        error.exit_code for error in every_error()
    }


@pytest.mark.parametrize("error", every_error(), ids=lambda e: e.__name__)
def test_every_error_is_described_as_it_is(error: type[HandfastError]) -> None:
    described = section((REFERENCE / "errors.md").read_text(), f"`{error.code}`")
    facts = f"`{error.__name__}` · status {error.status} · exit code {error.exit_code}\n"
    assert facts in described
    assert "**When:**" in described
    assert "**What to do:**" in described


# --- links and pictures -----------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(FENCE.sub("", page.read_text()))
    relative = [link for link in links if not re.match(r"[a-z][a-z0-9+.-]*:|#", link)]
    lost = [
        link for link in relative if not (page.parent / unquote(link.partition("#")[0])).exists()
    ]
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    """In code spans: from the page's folder, the clone's, or one of those with our code."""
    named = re.findall(r"`((?:[\w-]+/)+[\w.-]+\.(?:md|py|sh|sql|toml))`", page.read_text())
    ours = [ROOT / "src" / folder for folder in ("", "handfast", "handfast/sql")]
    folders = (page.parent, ROOT, *ours, ROOT / "src/handfast/sql/migrations")
    assert [name for name in named if not any((at / name).exists() for at in folders)] == []


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p.name)
def test_pictures_are_drawings_that_explain_themselves(picture: Path) -> None:
    drawing = ET.parse(picture).getroot()  # noqa: S314  # our own file
    svg = "{http://www.w3.org/2000/svg}"
    assert drawing.tag == f"{svg}svg"
    assert drawing.find(f"{svg}title") is not None
    assert drawing.find(f"{svg}desc") is not None
    assert "prefers-color-scheme: dark" in picture.read_text()


# --- the site ---------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def site(shared_folder: Path) -> Path:
    """The whole of it, built once for all test processes."""
    site = shared_folder / "site"
    with (shared_folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.exists():
            _build(site)
    return site


def _build(site: Path) -> None:
    """Complete, or not there at all: who comes after a failure is told of it again."""
    unfinished = site.with_suffix(".unfinished")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", unfinished],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    unfinished.rename(site)


def test_the_site_builds_and_fetches_nothing(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(OF_THE_SITE)
    for page in pages:
        html = page.read_text()
        assert not re.findall(r'\bsrc="?(?:https?:)?//[^">\s]+', html), page
        assert not re.findall(r'<link[^>]+href="?(?:https?:)?//[^">\s]+', html), page


@pytest.mark.parametrize("page", OF_THE_SITE, ids=page_name)
def test_a_page_shows_what_its_source_means(site: Path, page: Path) -> None:
    place = page.relative_to(ROOT / "docs").with_suffix("")
    folder = place.parent if place.name == "index" else place
    means, shows = meant(page.read_text()), shown((site / folder / "index.html").read_text())
    assert shows.headings == means.headings
    assert shows.tables == means.tables
    assert shows.items == means.items
