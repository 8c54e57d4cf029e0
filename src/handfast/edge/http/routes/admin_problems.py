"""What several addresses take, and may answer instead of what was asked for. What comes of a
route's policy (tokens, keys, limits) is described with it."""

from typing import Annotated

from litestar.params import HeaderParameter, PathParameter, QueryParameter

from handfast.base.pages import PAGE_MAX
from handfast.base.text import NO_NUL
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.http.problems import problem_spec

INVALID = {400: problem_spec("A parameter or the body cannot be read")}
NO_SUCH_PLACE = {422: problem_spec("`after` is not the `next` of a page of this list")}
NO_SUCH_JOB = {404: problem_spec("There is no such job")}
CONFLICT = {409: problem_spec("The job is in a state that does not allow it")}

JobId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The job's id.")]
NO_KEY = ""
# Not `str | None`: that would describe the word null as a key. None is what is not sent.
IdempotencyKey = Annotated[
    str,
    HeaderParameter(
        name="Idempotency-Key",
        required=False,
        include_in_schema=False,  # openapi/keys.py does, from the policies
    ),
]
Limit = Annotated[int, QueryParameter(ge=1, le=PAGE_MAX, description="At most so many.")]


def text_parameter(description: str, name: str | None = None) -> object:
    return QueryParameter(max_length=500, pattern=NO_NUL, description=description, name=name)
