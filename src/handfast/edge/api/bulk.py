"""One action on all that match."""

from typing import Any

import msgspec
from msgspec.structs import replace

from handfast.base.masking import MASK
from handfast.edge.api.dead_letters import Reason
from handfast.edge.api.viewing import shown_fields
from handfast.engine.operating.bulk.records import BulkPage, BulkView
from handfast.engine.operating.bulk.request import BulkAction, BulkFilter

_FILTER_FIELDS = {"errorClass", "expectation", "key", "kind", "lane", "since", "state"}


class AskBulk(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """``everything``: that nothing narrows it down is meant."""

    action: BulkAction
    reason: Reason
    filter: BulkFilter = BulkFilter()
    everything: bool = False


def bulk_page_for_viewers(page: BulkPage) -> BulkPage:
    return replace(page, actions=[bulk_for_viewers(one) for one in page.actions])


def bulk_for_viewers(view: BulkView) -> BulkView:
    shown: Any = shown_fields(view.filter, _FILTER_FIELDS)
    return replace(view, filter=shown, reason=MASK)
