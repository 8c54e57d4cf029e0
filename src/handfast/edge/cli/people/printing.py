"""Users, for people to read. Only what an operator needs to tell one from another."""

from handfast.apps.people.views import UserDetail, UserPage
from handfast.base.text import printable
from handfast.edge.cli.jobs.jobs import when
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.output import OUT


def print_users(page: UserPage) -> None:
    if not page.users:
        OUT.print("There is no such user.")
        return
    table = Listing("id", "name", "phone", "status", "onboarding", "last active")
    for one in page.users:
        table.add_row(
            str(one.id),
            printable(one.display_name or "-"),
            one.phone_number or "-",
            one.status,
            one.onboarding_status,
            when(one.last_active_at) if one.last_active_at else "-",
        )
    OUT.print(table)
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", markup=False)


def print_user(detail: UserDetail) -> None:
    user = detail.user
    where = user.location and ", ".join(
        part for part in (user.location.city, user.location.country) if part
    )
    table = Listing("what", "value", titled=False)
    for what, value in (
        ("id", str(user.id)),
        ("phone", user.phone_number),
        ("name", user.display_name),
        ("age", user.age),
        ("gender", user.gender),
        ("place", where),
        ("zone", user.timezone),
        ("status", user.status),
        ("onboarding", user.onboarding_status),
        ("verified", when(detail.verified_at) if detail.verified_at else "no"),
        ("failed verifications", detail.verification_failures),
        ("waits for review", "yes" if detail.waits_for_review else "no"),
        ("photos", len(user.photos)),
        ("answers", detail.answers),
        ("blocks", f"made {detail.blocks_made}, by others {detail.blocked_by}"),
        ("reports", f"made {detail.reports_made}, about them {detail.reported}"),
    ):
        table.add_row(what, "-" if value is None else printable(str(value)))
    OUT.print(table)
