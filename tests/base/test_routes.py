"""Path templates: what fits them, and what cannot be one."""

import pytest

from handfast.base.routes import PathTemplate, Route, one_spelling


@pytest.mark.parametrize(
    ("template", "path", "fits"),
    [
        ("/runs", "/runs", True),
        ("/runs", "/runs/", True),
        ("/runs", "/runs//", True),
        ("/runs/", "/runs", True),
        ("/runs", "/runs/1", False),
        ("/runs", "/xruns", False),
        ("/runs", "/RUNS", False),
        ("/runs/{id}", "/runs/1", True),
        ("/runs/{id}", "/runs/1/", True),
        ("/runs/{id}", "/runs/a.b", True),
        ("/runs/{id}", "/runs/a\nb", True),
        ("/runs/{id}", "/runs/", False),
        ("/runs/{id}", "/runs/1/2", False),
        ("/runs/{run_id:uuid}", "/runs/1", True),
        ("/runs/{run_id:uuid}", "/runs/1/2", False),
        ("/runs/{id}/stop", "/runs/1/stop", True),
        ("/runs/{id}/stop", "/runs//stop", False),
        ("/runs/{rest:path}", "/runs/1/2/3", True),
        ("/runs/{rest:path}", "/runs/1\n2/3", True),
        ("/runs/{rest:path}", "/runs/", True),
        ("/runs/{rest:path}", "/runs", False),
        ("/runs/{rest:path}", "/runsaway", False),
        ("/files/{rest:path}/raw", "/files/a/b/raw", True),
        ("/files/{rest:path}/raw", "/files/a/b", False),
        ("/{rest:path}", "/", True),
        ("/", "/", True),
        ("/", "/x", False),
        ("/a.b", "/axb", False),
        ("/a+b", "/a+b", True),
    ],
)
def test_what_fits(template: str, path: str, fits: bool) -> None:
    assert PathTemplate(template).matches(path) is fits


@pytest.mark.parametrize(
    "template", ["", "runs", "/runs/*", "/runs/{", "/runs/}", "/runs/{}", "/runs/{1}", "/{a b}"]
)
def test_what_cannot_be_a_template(template: str) -> None:
    with pytest.raises(ValueError, match="is not a path"):
        PathTemplate(template)


def test_a_route_is_a_method_and_a_path() -> None:
    route = Route.parse("POST /runs/{id}")
    assert str(route) == "POST /runs/{id}"
    assert route == Route("POST", PathTemplate("/runs/{id}"))
    assert route.matches("POST", "/runs/7/")
    assert not route.matches("GET", "/runs/7")
    assert not route.matches("POST", "/runs")


@pytest.mark.parametrize("text", ["/runs", "post /runs", "POST", "POST runs", "POST  /runs", ""])
def test_what_cannot_be_a_route(text: str) -> None:
    with pytest.raises(ValueError, match="is not a route"):
        Route.parse(text)


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        ("/admin/jobs", "/admin/jobs"),
        ("//admin//jobs/", "/admin/jobs"),
        ("/", "/"),
        ("///", "/"),
        ("", "/"),
        ("/a/./b", "/a/./b"),
    ],
)
def test_one_spelling(path: str, spelled: str) -> None:
    assert one_spelling(path) == spelled
    assert one_spelling(spelled) == spelled
