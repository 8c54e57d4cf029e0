"""Settings, masked."""

from typing import Any

from litestar import get
from litestar.datastructures import State

from handfast.edge.api.settings import SettingList, settings_for_viewers, settings_shown
from handfast.edge.http.policies import OPERATOR, policy
from handfast.engine.system import System


@policy(OPERATOR, viewer=settings_for_viewers)
@get("/settings", summary="Settings", operation_id="adminSettings", sync_to_thread=False)
def settings(state: State) -> SettingList:
    """Those of the process that answers, as `handfast config` has them: secrets are masked. Viewers
    see which there are and whether they are set."""
    system: System = state.system
    return SettingList(settings_shown(system.settings))


HANDLERS: list[Any] = [settings]
