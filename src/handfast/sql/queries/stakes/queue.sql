-- Statements of the queue: staking, changing, cancelling, expiring, and where somebody stands.

-- name: stake
SELECT s.item, s.verdict, s.ticket_id, s.transfer_id, s.hold_id, s.created_at, s.expires_at, s.available
FROM handfast_stakes.stake($1::uuid[], $2::bigint[], $3, $4, $5, $6) AS s;

-- name: ticket
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q WHERE q.id = $1;

-- name: ticket_locked
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q WHERE q.id = $1 FOR NO KEY UPDATE;

-- name: live_ticket
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q WHERE q.player_id = $1 AND q.ended_at IS NULL;

-- name: tickets_of_player
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q WHERE q.player_id = $1 ORDER BY q.id DESC LIMIT $2;

-- name: due_tickets
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.hold_id
FROM handfast_stakes.matchmaking_queue AS q
WHERE q.status = 'queued' AND q.expires_at <= handfast_db.now()
ORDER BY q.expires_at LIMIT $1
FOR NO KEY UPDATE SKIP LOCKED;

-- name: end_tickets
UPDATE handfast_stakes.matchmaking_queue AS q SET status = $2, ended_at = handfast_db.now()
WHERE q.id = ANY ($1::bigint[]) AND q.status = 'queued';

-- name: change_ticket
UPDATE handfast_stakes.matchmaking_queue AS q
SET stake_amount = $2, transfer_id = $3, hold_id = $4, line = nextval('handfast_stakes.lines'),
    queued_at = handfast_db.now(), changes = q.changes + 1
WHERE q.id = $1
RETURNING q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
          q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
          q.changes::integer AS changes;

-- name: wake_matchmakers
SELECT handfast_stakes.wake_matchmakers() IS NULL AS told;

-- name: place_in_line
-- Counted up to a bound: who stands further behind is told "at least".
SELECT count(*) AS ahead FROM (
    SELECT 1 FROM handfast_stakes.matchmaking_queue AS q
    WHERE q.status = 'queued' AND q.stake_amount = $1 AND q.line < $2 LIMIT $3
) AS a;

-- name: lines
-- How many wait at which stakes, by a bounded scan of each.
WITH RECURSIVE stakes AS (
    (SELECT q.stake_amount FROM handfast_stakes.matchmaking_queue AS q
     WHERE q.status = 'queued' ORDER BY q.stake_amount LIMIT 1)
    UNION ALL
    SELECT n.stake_amount FROM stakes AS s
    CROSS JOIN LATERAL (
        SELECT q.stake_amount FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'queued' AND q.stake_amount > s.stake_amount ORDER BY q.stake_amount LIMIT 1
    ) AS n
)
SELECT s.stake_amount AS amount,
       (SELECT count(*) FROM (
           SELECT 1 FROM handfast_stakes.matchmaking_queue AS q
           WHERE q.status = 'queued' AND q.stake_amount = s.stake_amount LIMIT $1
       ) AS w) AS waiting,
       (SELECT q.queued_at FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'queued' AND q.stake_amount = s.stake_amount ORDER BY q.line LIMIT 1) AS oldest_at
FROM stakes AS s ORDER BY s.stake_amount;

-- name: past_waits
-- Of the newest at this stake; the hour is that of the day in which they came. Who was not matched had
-- waited so long at least.
SELECT w.seconds, w.matched, w.same_hour FROM (
    SELECT extract(epoch FROM coalesce(q.matched_at, q.ended_at) - q.queued_at)::float8 AS seconds,
           q.status = 'matched' AS matched,
           extract(hour FROM q.queued_at AT TIME ZONE 'UTC')
               = extract(hour FROM $3::timestamptz AT TIME ZONE 'UTC') AS same_hour
    FROM handfast_stakes.matchmaking_queue AS q
    WHERE q.status <> 'queued' AND q.stake_amount = $1 AND q.queued_at < $3 ORDER BY q.id DESC LIMIT $2
) AS w;

-- name: met_lately
-- Whether everybody else in this line has played this player lately.
SELECT count(*) > 0 AND bool_and(EXISTS (
    SELECT 1 FROM handfast_stakes.game_sessions AS s
    WHERE s.created_at > handfast_db.now() - $3::interval
      AND (s.player1, s.player2) IN ((q.player_id, $2::uuid), ($2::uuid, q.player_id))
)) AS met
FROM (
    SELECT q.player_id FROM handfast_stakes.matchmaking_queue AS q
    WHERE q.status = 'queued' AND q.stake_amount = $1 AND q.player_id <> $2 ORDER BY q.line LIMIT 20
) AS q;

-- name: queue_figures
SELECT (SELECT count(*) FROM (
            SELECT 1 FROM handfast_stakes.matchmaking_queue AS q WHERE q.status = 'queued' LIMIT 100000
        ) AS n) AS waiting,
       coalesce(extract(epoch FROM handfast_db.now() - (
           SELECT min(second.queued_at) FROM handfast_stakes.matchmaking_queue AS first
           CROSS JOIN LATERAL (
               SELECT q.queued_at FROM handfast_stakes.matchmaking_queue AS q
               WHERE q.status = 'queued' AND q.stake_amount = first.stake_amount AND q.line > first.line
               ORDER BY q.line LIMIT 1
           ) AS second
           WHERE first.status = 'queued' AND NOT EXISTS (
               SELECT 1 FROM handfast_stakes.matchmaking_queue AS q
               WHERE q.status = 'queued' AND q.stake_amount = first.stake_amount AND q.line < first.line
           )
       )), 0)::float8 AS partner_seconds,
       coalesce(extract(epoch FROM handfast_db.now() - (
           SELECT min(q.expires_at) FROM handfast_stakes.matchmaking_queue AS q WHERE q.status = 'queued'
       )), 0)::float8 AS overdue_seconds,
       (SELECT count(*) FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'expired' AND q.ended_at > handfast_db.now() - interval '5 minutes'
          AND q.id > (SELECT coalesce(max(n.id), 0) - 100000 FROM handfast_stakes.matchmaking_queue AS n)
       ) AS expired,
       (SELECT count(*) FROM handfast_stakes.claims AS c
        WHERE c.at > handfast_db.now() - interval '5 minutes') AS claims,
       (SELECT count(*) FROM handfast_stakes.claims AS c
        WHERE c.at > handfast_db.now() - interval '5 minutes' AND c.outcome = 'failed') AS failed;

-- name: clock
SELECT handfast_db.now() AS now;
