"""What Redis does in one step, in Lua.

A line is three keys: a sorted set of ticket ids by their place; beside it the tickets that a
matchmaker has *taken*, with their places, so that each can go back to its own; and who took them, a
key that ends by itself. While it is there the line is that matchmaker's; when it has ended (they
died) the tickets go back, before anybody takes again.

Places are handed through as texts: Lua would round large numbers when it writes them.
"""

_BACK = """
local function back(line, processing, ttl)
    local held = redis.call('ZRANGE', processing, 0, 9999, 'WITHSCORES')
    for i = 1, #held, 2 do redis.call('ZADD', line, 'NX', held[i + 1], held[i]) end
    redis.call('DEL', processing)
    if #held > 0 then redis.call('PEXPIRE', line, ttl) end
end
"""

# KEYS: line, processing, taken of each stake. ARGV: how many, for how long (ms), by whom, how long
# lines are kept (ms). For each stake: 1 if somebody else is at it, else 0 and the tickets taken.
# Fewer than two are left where they are. A mark that was not made here (it never ends) is none.
TAKE = (
    _BACK
    + """
local most, visible, token, ttl = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
local answers = {}
for k = 1, #KEYS, 3 do
    local line, processing, taken = KEYS[k], KEYS[k + 1], KEYS[k + 2]
    local left = redis.call('PTTL', taken)
    local answer = {0}
    if left > 0 and left <= visible then
        answer[1] = 1
    else
        if left ~= -2 then redis.call('DEL', taken) end
        back(line, processing, ttl)
        if redis.call('ZCARD', line) > 1 then
            local found = redis.call('ZRANGE', line, 0, most - 1, 'WITHSCORES')
            for i = 1, #found, 2 do
                redis.call('ZADD', processing, found[i + 1], found[i])
                answer[#answer + 1] = found[i]
            end
            redis.call('ZREMRANGEBYRANK', line, 0, #found / 2 - 1)
            redis.call('PEXPIRE', processing, ttl)
            redis.call('SET', taken, token, 'PX', visible)
        end
    end
    answers[#answers + 1] = answer
end
return answers
"""
)

# KEYS: line, processing, taken of each stake. ARGV: who took them, how long lines are kept (ms),
# and for each stake how many are over, and these. The others go back to their places, unless
# somebody has them by now.
SETTLE = (
    _BACK
    + """
local at = 3
for k = 1, #KEYS, 3 do
    local line, processing, taken = KEYS[k], KEYS[k + 1], KEYS[k + 2]
    local count = tonumber(ARGV[at])
    for i = at + 1, at + count do
        redis.call('ZREM', line, ARGV[i])
        redis.call('ZREM', processing, ARGV[i])
    end
    at = at + count + 1
    if redis.call('GET', taken) == ARGV[1] then
        back(line, processing, ARGV[2])
        redis.call('DEL', taken)
    end
end
return 0
"""
)

# KEYS: line, processing of each stake. ARGV: how long lines are kept (ms), and for each ticket the
# number of its stake among the keys (0: it stands nowhere), its place, its id. Answers how many
# were not like that. Who is taken, and at the right place, is left with whoever has them. Adding
# comes first: a Redis that has no memory left refuses only what a script writes at first.
REFLECT = """
local changed = 0
for i = 2, #ARGV, 3 do
    local home, place, id = 2 * ARGV[i] - 1, ARGV[i + 1], ARGV[i + 2]
    if home > 0 then
        local held = redis.call('ZSCORE', KEYS[home + 1], id)
        if held and tonumber(held) == tonumber(place) then
            changed = changed + redis.call('ZREM', KEYS[home], id)
        else
            changed = changed + redis.call('ZADD', KEYS[home], 'CH', place, id)
            redis.call('PEXPIRE', KEYS[home], ARGV[1])
            redis.call('ZREM', KEYS[home + 1], id)
        end
    end
    for k = 1, #KEYS, 2 do
        if k ~= home then
            changed = changed + redis.call('ZREM', KEYS[k], id)
            changed = changed + redis.call('ZREM', KEYS[k + 1], id)
        end
    end
end
return changed
"""

# KEYS: line, processing, taken of each stake. What is of another type was put there by somebody
# else, and goes. Answers how many.
CLEAN = """
local removed = 0
for k, key in ipairs(KEYS) do
    local kind, wanted = redis.call('TYPE', key).ok, k % 3 == 0 and 'string' or 'zset'
    if kind ~= 'none' and kind ~= wanted then removed = removed + redis.call('DEL', key) end
end
return removed
"""
