"""The questionnaire."""

from typing import Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import JSONBody

from handfast.apps.people.questions.responses import (
    QUESTIONS,
    Progress,
    Response,
    answer_questions,
    previous_answers,
)
from handfast.edge.api.people import QuestionsShown, SentResponses, questions_shown
from handfast.edge.http.policies import REQUIRED, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

MOVED = {409: problem_spec("That version of the questions is not asked any more")}
NO_ANSWER = {422: problem_spec("An answer does not fit its question: the detail says which")}


@policy(USER)
@get("/compatibility/questions", summary="The questions", operation_id="questions")
async def questions(request: Request[Any, Any, State], state: State) -> QuestionsShown:
    """With what you have answered so far."""
    system: System = state.system
    async with system.database.connection() as connection:
        previous = await previous_answers(connection, signed_in(request).user_id)
    return questions_shown(QUESTIONS, previous)


@policy(USER, key=REQUIRED)
@post(
    "/compatibility/responses",
    summary="Answer questions",
    operation_id="questionsAnswer",
    status_code=200,
    responses=INVALID | MOVED | NO_ANSWER,
)
async def respond(request: Request[Any, Any, State], data: JSONBody[SentResponses]) -> Progress:
    """Some or all; an answer takes the place of the one before."""
    given = [
        Response(one.question_id, one.answer, one.importance, one.wish) for one in data.responses
    ]
    async with transaction(request) as tx:
        return await answer_questions(tx, signed_in(request).user_id, data.version, given)


HANDLERS = (questions, respond)
