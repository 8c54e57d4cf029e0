"""What every address under /admin may answer instead of what was asked for."""

from typing import Annotated

from litestar.params import HeaderParameter, PathParameter, QueryParameter

from handfast.edge.http.problems import problem_spec

ADMIN_PROBLEMS = {
    401: problem_spec("No operator's token was sent"),
    403: problem_spec("The token is not the operator's"),
    429: problem_spec("Too many wrong tokens came from this address"),
    503: problem_spec("The database cannot be reached, or does not fit"),
}
INVALID = {400: problem_spec("A parameter or the body cannot be read")}
NO_SUCH_JOB = {404: problem_spec("There is no such job")}
CONFLICT = {
    409: problem_spec(
        "The job is in a state that does not allow it; or the idempotency key is in use"
    )
}

# What the idempotency middleware answers, before the handler is asked.
KEY_CONFLICT = {409: problem_spec("The idempotency key is in use, or was used for another request")}

ID_MAX = 2**53 - 1  # what a number in JSON can hold exactly everywhere
NO_NUL = r"^[^\x00]*$"  # PostgreSQL cannot store one

JobId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The job's id.")]
NO_KEY = ""
# Not `str | None`: that would describe the word null as a key. None is what is not sent.
IdempotencyKey = Annotated[
    str,
    HeaderParameter(
        name="Idempotency-Key",
        required=False,
        include_in_schema=False,  # edge/http/description.py describes it, from the rules
    ),
]
Limit = Annotated[int, QueryParameter(ge=1, le=1000, description="At most so many.")]


def text_parameter(description: str, name: str | None = None) -> object:
    return QueryParameter(max_length=500, pattern=NO_NUL, description=description, name=name)
