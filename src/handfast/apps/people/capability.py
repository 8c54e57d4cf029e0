"""People as a capability."""

from handfast.engine.capability import Capability, Command, Fact, Hook

_FOLLOWING = "handfast.apps.people.following"

PEOPLE = Capability(
    name="people",
    about="people: profiles, photos, questions, verification, blocks",
    requires=("identity",),
    schemas=("people",),
    errors="handfast.apps.people.errors",
    settings="handfast.apps.people.settings:PeopleSettings",
    kept_file="handfast.apps.people.settings:PHOTOS_FOLDER",
    work="handfast.apps.people.work:open_work",
    lanes=("people",),
    facts=(Fact("pair.blocked", ("user_id", "blocked_id")),),
    hooks=(
        Hook("user.created", f"{_FOLLOWING}:on_created"),
        Hook("user.suspended", f"{_FOLLOWING}:on_suspended"),
        Hook("user.reinstated", f"{_FOLLOWING}:on_reinstated"),
        Hook("user.deleted", f"{_FOLLOWING}:on_deleted"),
        Hook("user.restored", f"{_FOLLOWING}:on_restored"),
        Hook("user.erased", f"{_FOLLOWING}:on_erased"),
        Hook("content.removed", f"{_FOLLOWING}:on_removed"),
    ),
    describe_user="handfast.apps.people.profiles.changing:describe_user",
    personal_data="handfast.apps.people.personal_data.own_data:own_data",
    routes="handfast.edge.http.routes.people:router",
    shared="handfast.apps.people.people:people_of",
    commands=(
        Command(
            "people",
            "handfast.edge.cli.people.people:app",
            "People: list and show them, suspend, reinstate, export, make some up.",
        ),
    ),
    scene="handfast.demo.people:people",
)
