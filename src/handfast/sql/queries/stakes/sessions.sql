-- Statements of sessions: reading, moves, results, disputes, expiry.

-- name: session
SELECT s.id, s.token, s.player1, s.player2, s.stake, s.currency, s.status, s.result, s.winner, s.moves,
       s.created_at, s.started_at, s.settled_at, s.expires_at
FROM handfast_stakes.game_sessions AS s WHERE s.id = $1;

-- name: session_locked
SELECT s.id, s.token, s.player1, s.player2, s.stake, s.currency, s.status, s.result, s.winner, s.moves,
       s.created_at, s.started_at, s.settled_at, s.expires_at
FROM handfast_stakes.game_sessions AS s WHERE s.id = $1 FOR NO KEY UPDATE;

-- name: sessions_listed
SELECT s.id, s.token, s.player1, s.player2, s.stake, s.currency, s.status, s.result, s.winner, s.moves,
       s.created_at, s.started_at, s.settled_at, s.expires_at
FROM handfast_stakes.game_sessions AS s
WHERE s.id < coalesce($1::bigint, 9223372036854775807) AND ($2::text IS NULL OR s.status = $2::text)
ORDER BY s.id DESC LIMIT $3;

-- name: due_sessions
SELECT s.id, s.token, s.player1, s.player2, s.stake, s.currency, s.status, s.result, s.winner, s.moves,
       s.created_at, s.started_at, s.settled_at, s.expires_at
FROM handfast_stakes.in_play AS s
WHERE s.backed AND s.expires_at <= handfast_db.now() AND s.id <> ALL ($2::bigint[])
ORDER BY s.expires_at LIMIT $1
FOR NO KEY UPDATE SKIP LOCKED;

-- name: tickets_of_sessions
SELECT q.session_id, q.player_id, q.hold_id, q.fee
FROM handfast_stakes.matchmaking_queue AS q WHERE q.session_id = ANY ($1::bigint[]) ORDER BY q.id;

-- name: free_players
-- The games are over: their players may stake again.
UPDATE handfast_stakes.matchmaking_queue AS q SET ended_at = handfast_db.now()
WHERE q.session_id = ANY ($1::bigint[]) AND q.ended_at IS NULL;

-- name: end_sessions
UPDATE handfast_stakes.game_sessions AS s
SET status = $2, result = $3, winner = $4, settled_at = handfast_db.now()
WHERE s.id = ANY ($1::bigint[]);

-- name: freeze_session
UPDATE handfast_stakes.game_sessions AS s SET status = 'disputed' WHERE s.id = $1;

-- name: add_move
WITH added AS (
    INSERT INTO handfast_stakes.game_moves (session_id, number, player_id, type, payload, created_at)
    VALUES ($1, $2, $3, $4, $5::jsonb, handfast_db.now())
    RETURNING session_id, number, created_at
), counted AS (
    UPDATE handfast_stakes.game_sessions AS s
    SET moves = a.number, started_at = coalesce(s.started_at, a.created_at), status = 'playing'
    FROM added AS a WHERE s.id = a.session_id
)
SELECT a.created_at FROM added AS a;

-- name: move
SELECT m.number, m.player_id, m.type, m.payload::text AS payload, m.created_at
FROM handfast_stakes.game_moves AS m WHERE m.session_id = $1 AND m.number = $2;

-- name: moves
SELECT m.number, m.player_id, m.type, m.payload::text AS payload, m.created_at
FROM handfast_stakes.game_moves AS m WHERE m.session_id = $1 AND m.number > $2 ORDER BY m.number LIMIT $3;

-- name: same_payload
SELECT $1::jsonb = $2::jsonb AS same;

-- name: open_dispute
INSERT INTO handfast_stakes.disputes (session_id, created_at, deadline, opened_by, frozen, reported, reason)
SELECT $1, n.now, n.now + $2::interval, $3, $4, $5, $6 FROM handfast_db.now() AS n(now)
RETURNING id, session_id, status, reason, reported, frozen, opened_by, resolution, resolved_for,
          created_at, deadline::timestamptz AS deadline, resolved_at;

-- name: dispute_of_session
SELECT d.id, d.session_id, d.status, d.reason, d.reported, d.frozen, d.opened_by, d.resolution,
       d.resolved_for, d.created_at, d.deadline::timestamptz AS deadline, d.resolved_at
FROM handfast_stakes.disputes AS d WHERE d.session_id = $1 ORDER BY d.id DESC LIMIT 1;

-- name: disputes_of_session
SELECT d.id, d.session_id, d.status, d.reason, d.reported, d.frozen, d.opened_by, d.resolution,
       d.resolved_for, d.created_at, d.deadline::timestamptz AS deadline, d.resolved_at
FROM handfast_stakes.disputes AS d WHERE d.session_id = $1 ORDER BY d.id DESC LIMIT $2;

-- name: dispute
SELECT d.id, d.session_id, d.status, d.reason, d.reported, d.frozen, d.opened_by, d.resolution,
       d.resolved_for, d.created_at, d.deadline::timestamptz AS deadline, d.resolved_at
FROM handfast_stakes.disputes AS d WHERE d.id = $1;

-- name: disputes
SELECT d.id, d.session_id, d.status, d.reason, d.reported, d.frozen, d.opened_by, d.resolution,
       d.resolved_for, d.created_at, d.deadline::timestamptz AS deadline, d.resolved_at
FROM handfast_stakes.disputes AS d
WHERE ($1::text IS NULL OR d.status = $1::text) AND d.id > $2 ORDER BY d.id LIMIT $3;

-- name: note_report
UPDATE handfast_stakes.disputes AS d SET reported = $2 WHERE d.id = $1 AND d.reported IS NULL;

-- name: resolve_dispute
UPDATE handfast_stakes.disputes AS d
SET status = 'resolved', resolution = $2, resolved_for = $3, resolved_at = handfast_db.now()
WHERE d.id = $1
RETURNING d.id, d.session_id, d.status, d.reason, d.reported, d.frozen, d.opened_by, d.resolution,
          d.resolved_for, d.created_at, d.deadline::timestamptz AS deadline, d.resolved_at;

-- name: prolong_holds
SELECT handfast_ledger.move_holds(
    array_agg(q.hold_id), array_agg(q.session_id), handfast_db.now() + $2::interval
) AS moved
FROM handfast_stakes.matchmaking_queue AS q WHERE q.session_id = $1;

-- name: unresolved_disputes
SELECT 'dispute-' || d.id AS key, jsonb_build_object('dispute', d.id) AS payload,
       d.deadline::timestamptz AS due_at, false AS result_exists
FROM handfast_stakes.disputes AS d WHERE d.status = 'open' AND d.deadline >= $1 AND d.deadline < $2;

-- name: inconsistencies
-- What tickets, sessions and holds say of each other and should not, and escrow against both.
SELECT 'ticket' AS what, q.id, 'a ' || q.status || ' ticket has a hold that is ' || h.state AS problem
FROM handfast_stakes.matchmaking_queue AS q
JOIN handfast_ledger.holds AS h ON h.id = q.hold_id
LEFT JOIN handfast_stakes.game_sessions AS s ON s.id = q.session_id
WHERE (h.state = 'held') <> (q.status = 'queued' OR coalesce(s.status IN ('waiting', 'playing', 'disputed'), false))
UNION ALL
SELECT 'ticket', q.id, 'its hold is not there, or of another amount, currency, player or pot'
FROM handfast_stakes.matchmaking_queue AS q
LEFT JOIN handfast_ledger.holds AS h ON h.id = q.hold_id
WHERE h.id IS NULL OR h.amount <> q.stake_amount OR h.currency <> q.currency OR h.owner <> q.player_id::text
   OR h.queue_id IS DISTINCT FROM q.id OR h.session_id IS DISTINCT FROM q.session_id
UNION ALL
SELECT 'session', s.id, 'it has not the two tickets of its players'
FROM handfast_stakes.game_sessions AS s
WHERE (SELECT array_agg(q.player_id ORDER BY q.player_id) FROM handfast_stakes.matchmaking_queue AS q
       WHERE q.session_id = s.id AND q.stake_amount = s.stake)
      IS DISTINCT FROM ARRAY[least(s.player1, s.player2), greatest(s.player1, s.player2)]
UNION ALL
SELECT 'session', s.id, 'its players are bound, or free, when they should not be'
FROM handfast_stakes.game_sessions AS s
JOIN handfast_stakes.matchmaking_queue AS q ON q.session_id = s.id
WHERE (q.ended_at IS NULL) <> (s.status IN ('waiting', 'playing'))
UNION ALL
SELECT 'hold', h.id, 'it is held for no ticket'
FROM handfast_ledger.holds AS h
WHERE h.state = 'held' AND h.queue_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM handfast_stakes.matchmaking_queue AS q WHERE q.hold_id = h.id)
LIMIT 100;

-- name: reach_of_sessions
-- How far back a page looks: below this id nothing was looked at, and 0 is the end.
SELECT coalesce((
    SELECT s.id FROM handfast_stakes.game_sessions AS s
    WHERE s.id < coalesce($1::bigint, 9223372036854775807) ORDER BY s.id DESC OFFSET $2 LIMIT 1
), 0) AS reach;

-- name: sessions_within
SELECT s.id, s.token, s.player1, s.player2, s.stake, s.currency, s.status, s.result, s.winner, s.moves,
       s.created_at, s.started_at, s.settled_at, s.expires_at
FROM handfast_stakes.game_sessions AS s
WHERE s.id < coalesce($1::bigint, 9223372036854775807) AND s.id > $2::bigint
  AND ($3::text IS NULL OR s.status = $3::text)
ORDER BY s.id DESC LIMIT $4;

-- name: tickets_of_session
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q WHERE q.session_id = $1 ORDER BY q.id;
