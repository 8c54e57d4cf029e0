"""The rooms of the house: imports point one way, and the public names are pinned."""

import subprocess
import sys
from pathlib import Path

import handfast

ROOT = Path(__file__).parents[1]


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_exported_names() -> None:
    assert handfast.__all__ == [
        "PRUNED",
        "BatchJob",
        "CatchUp",
        "Context",
        "DataInconsistent",
        "Enqueued",
        "FailureClass",
        "Fixture",
        "Handfast",
        "HandfastError",
        "JobState",
        "Pipeline",
        "Retry",
        "RetryAt",
        "RetryPolicy",
        "Step",
        "Tick",
        "Transaction",
        "WebhookEndpoint",
        "WebhookEvent",
        "WebhookInbox",
        "WebhookReceiver",
        "WorkerOptions",
        "__version__",
        "webhooks_inbox_ddl",
    ]
    for name in handfast.__all__:
        assert getattr(handfast, name)


def test_the_version_is_said_once() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{handfast.__version__}"' in project


def test_no_file_names_a_registry_or_a_machine() -> None:
    """What we commit works anywhere: no host of a registry, no path of this machine."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    forbidden = [
        "pypi." + "org",
        "files.python" + "hosted",
        "registry.npm" + "js",
        "/root" + "/",
        str(ROOT),
    ]
    for name in filter(None, tracked):
        file = ROOT / name
        if file.suffix in {".png", ".ico"} or "static/swagger-ui" in name or not file.exists():
            continue
        text = file.read_text()
        assert not [word for word in forbidden if word in text], name
