"""The faster store: the same arithmetic as ``handfast_limits.take`` in SQL, in one script, by
Redis' clock.

A key holds the microsecond since 1970 at which the quota is whole again, and expires then. What
cannot be read as such a moment is no key; one that is further away than the whole quota (somebody
else's number, a clock that was set back) counts as the whole quota, and is written as that.
"""

from collections.abc import Sequence
from typing import Any

from handfast.db.redis import GuardedRedis
from handfast.services.limits.limit import Ask, LimitVerdict

PREFIX = "handfast:limits:"

# All limits admit, or nothing is written. Numbers stay far below 2^53, so they are exact; they are
# written with %.0f since Lua would put large ones into a form that Redis does not read back.
_SCRIPT = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local owed, beyond, all = {}, {}, true
local function keep(key, owes)
    redis.call('SET', key, string.format('%.0f', now + owes),
               'PX', string.format('%.0f', math.ceil(owes / 1000) + 1))
end
for i, key in ipairs(KEYS) do
    local unit, quota, cost = ARGV[3*i-2] + 0, ARGV[3*i-1] + 0, ARGV[3*i] + 0
    local kept = redis.pcall('GET', key)
    local owes = (type(kept) == 'string' and tonumber(kept) or 0) - now
    if not (owes > 0) then owes = 0 end  -- 'nan' is a number too
    beyond[i] = owes > quota * unit
    owed[i] = math.min(owes, quota * unit)
    if owed[i] + math.max(cost, 1) * unit > quota * unit then all = false end
end
local answers = {}
for i, key in ipairs(KEYS) do
    local unit, quota, cost = ARGV[3*i-2] + 0, ARGV[3*i-1] + 0, ARGV[3*i] + 0
    local owes = owed[i]
    if all and cost > 0 then
        owes = owes + cost * unit
        keep(key, owes)
    elseif beyond[i] then
        keep(key, owes)
    end
    local needed = owed[i] + math.max(cost, 1) * unit - quota * unit
    answers[i] = {
        needed <= 0 and 1 or 0,
        string.format('%.0f', math.floor(math.max(0, quota * unit - owes) / unit)),
        string.format('%.0f', owes),
        string.format('%.0f', math.max(0, needed)),
    }
end
return answers
"""


class RedisLimits:
    def __init__(self, redis: GuardedRedis) -> None:
        self._take = redis.script(_SCRIPT)

    async def take(self, asks: Sequence[Ask]) -> list[LimitVerdict]:
        """All of it or none, in one round trip. ``RedisAway`` when there is no answer."""
        keys = [f"{PREFIX}{ask.limit.name}:{ask.subject}" for ask in asks]
        arguments = [n for ask in asks for n in (ask.limit.unit, ask.limit.quota, ask.cost)]

        def read(rows: list[list[Any]]) -> list[LimitVerdict]:
            return [
                LimitVerdict(ask, bool(row[0]), int(row[1]), int(row[2]) / 1e6, int(row[3]) / 1e6)
                for ask, row in zip(asks, rows, strict=True)
            ]

        return await self._take.run(keys, arguments, read=read)
