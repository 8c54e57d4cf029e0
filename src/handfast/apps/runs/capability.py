"""Match runs as a capability."""

from handfast.engine.capability import Capability, Command, EventType, Page

RUNS = Capability(
    name="runs",
    about="match runs: which investors suit a startup, from a corpus that no run writes",
    schemas=("runs",),
    errors="handfast.apps.runs.errors",
    settings="handfast.apps.runs.settings:RunsSettings",
    work="handfast.apps.runs.work:open_work",
    lanes=("runs", "corpus"),
    metrics="handfast.apps.runs.metrics",
    events=(
        EventType("run.ready", "a match run can be read"),
        EventType("run.failed", "a match run ended in an error"),
        EventType("corpus.switched", "another version of the corpus is read"),
        EventType("corpus.refused", "the guardian refused a version"),
    ),
    routes="handfast.edge.http.routes.match_runs:router",
    pages=(Page("runs", "Match runs"), Page("corpus", "Corpus")),
    shared="handfast.apps.runs.watch:watch_of",
    commands=(
        Command(
            "runs",
            "handfast.edge.cli.runs.runs:app",
            "Match runs: start one and see its matches, look at one, list them.",
        ),
        Command(
            "corpus",
            "handfast.edge.cli.runs.corpus:app",
            "The corpus: load it, rebuild it, check and switch versions.",
        ),
    ),
    facade="handfast.apps.runs.facade:MatchRuns",
    checks="handfast.edge.cli.runs.checks:check_runs",
    about_job="handfast.apps.runs.connections:about_job",
    scene="handfast.demo.match_run:match_run",
    traffic="handfast.demo.traffic.startups:ask_for_investors",
)
