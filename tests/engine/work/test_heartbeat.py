"""Who is beaten for, when the loop of the process and the thread change it at once."""

import threading
from collections.abc import ItemsView
from datetime import timedelta

from handfast.db.connect import Target
from handfast.engine.work.heartbeat import Heartbeat, Leaseholder

JOIN_SECONDS = 0.5  # given to who need not wait; how long is nothing to the outcome for who must


def holder(worker: int) -> Leaseholder:
    return Leaseholder(
        worker,
        timedelta(minutes=5),
        busy=lambda: False,
        on_cancel=lambda _jobs: None,
        on_lost=lambda: None,
    )


class Joined(dict[int, Leaseholder]):
    """Somebody else joins just when these are being read."""

    def __init__(self, heartbeat: Heartbeat, new: Leaseholder, *holders: Leaseholder) -> None:
        super().__init__({one.worker: one for one in holders})
        self.joining = threading.Thread(target=heartbeat.join, args=(new,))

    def items(self) -> ItemsView[int, Leaseholder]:  # type: ignore[override]
        self.joining.start()
        self.joining.join(JOIN_SECONDS)
        return dict(self).items()


async def test_who_joins_while_another_is_lost_is_beaten_for() -> None:
    heartbeat = Heartbeat(Target("postgresql://nobody"))
    heartbeat._holders = holders = Joined(heartbeat, holder(3), holder(1), holder(2))
    heartbeat.leave(1)
    holders.joining.join()
    assert sorted(heartbeat._holders) == [2, 3]
