"""What people do over HTTP, and what operators do about them.

me             the own profile and preferences
photos         photos: sent, removed, looked at
questions      the questionnaire
safety         blocks
verification   proof of who somebody is
personal_data  a copy of it, and its end
admin          users, for operators
uploads        a form with a picture in it, read in memory
"""

from typing import Any

from litestar import Router

from handfast.edge.http.routes.people import (
    admin,
    me,
    personal_data,
    photos,
    questions,
    safety,
    verification,
)

router: Any = Router(
    path="/",
    route_handlers=[
        *me.HANDLERS,
        *photos.HANDLERS,
        *questions.HANDLERS,
        *safety.HANDLERS,
        *verification.HANDLERS,
        *personal_data.HANDLERS,
        *admin.HANDLERS,
    ],
    tags=["people"],
)
