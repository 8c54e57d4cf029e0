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
FROM handfast_stakes.in_line AS q
WHERE q.backed AND q.expires_at <= handfast_db.now() AND q.id <> ALL ($2::bigint[])
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
SELECT true AS told FROM handfast_engine.wake_for('stakes');

-- name: place_in_line
-- Counted up to a bound: who stands further behind is told "at least".
SELECT count(*) AS ahead FROM (
    SELECT 1 FROM handfast_stakes.matchmaking_queue AS q
    WHERE q.status = 'queued' AND q.stake_amount = $1 AND q.currency = $2 AND q.line < $3 LIMIT $4
) AS a;

-- name: lines
-- How many wait at which stakes, by a bounded scan of each.
SELECT l.amount, l.currency,
       (SELECT count(*) FROM (
           SELECT 1 FROM handfast_stakes.matchmaking_queue AS q
           WHERE q.status = 'queued' AND q.stake_amount = l.amount AND q.currency = l.currency LIMIT $1
       ) AS w) AS waiting,
       (SELECT q.queued_at FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'queued' AND q.stake_amount = l.amount AND q.currency = l.currency
        ORDER BY q.line LIMIT 1) AS oldest_at
FROM handfast_stakes.lines_now AS l ORDER BY l.amount, l.currency;

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

-- name: waits_since
-- Of the newest at this stake, those who came since an instant and did not wait any more.
SELECT w.seconds, w.matched, true AS same_hour FROM (
    SELECT extract(epoch FROM coalesce(q.matched_at, q.ended_at) - q.queued_at)::float8 AS seconds,
           q.status = 'matched' AS matched, q.queued_at
    FROM handfast_stakes.matchmaking_queue AS q
    WHERE q.status <> 'queued' AND q.stake_amount = $1 ORDER BY q.id DESC LIMIT $2
) AS w
WHERE w.queued_at >= $3;

-- name: met_lately
-- Whether everybody else in this line has played this player lately.
SELECT count(*) > 0 AND bool_and(EXISTS (
    SELECT 1 FROM handfast_stakes.game_sessions AS s
    WHERE s.created_at > handfast_db.now() - $3::interval
      AND (s.player1, s.player2) IN ((q.player_id, $2::uuid), ($2::uuid, q.player_id))
)) AS met
FROM (
    SELECT q.player_id FROM handfast_stakes.matchmaking_queue AS q
    WHERE q.status = 'queued' AND q.stake_amount = $1 AND q.currency = $4 AND q.player_id <> $2
    ORDER BY q.line LIMIT 20
) AS q;

-- name: queue_figures
SELECT (SELECT count(*) FROM (
            SELECT 1 FROM handfast_stakes.matchmaking_queue AS q WHERE q.status = 'queued' LIMIT 100000
        ) AS n) AS waiting,
       coalesce(extract(epoch FROM handfast_db.now() - (
           SELECT min(second.queued_at) FROM handfast_stakes.lines_now AS l
           CROSS JOIN LATERAL (
               SELECT w.queued_at FROM handfast_stakes.in_line AS w
               WHERE w.stake_amount = l.amount AND w.currency = l.currency AND w.backed
               ORDER BY w.line OFFSET 1 LIMIT 1
           ) AS second
       )), 0)::float8 AS partner_seconds,
       coalesce(extract(epoch FROM handfast_db.now() - (
           SELECT w.expires_at FROM handfast_stakes.in_line AS w WHERE w.backed ORDER BY w.expires_at LIMIT 1
       )), 0)::float8 AS overdue_seconds,
       (SELECT count(*) FILTER (WHERE NOT w.backed) FROM (
            SELECT w.backed FROM handfast_stakes.in_line AS w ORDER BY w.expires_at LIMIT 10000
        ) AS w)
       + (SELECT count(*) FILTER (WHERE NOT p.backed) FROM (
            SELECT p.backed FROM handfast_stakes.in_play AS p
            WHERE p.expires_at < handfast_db.now() ORDER BY p.expires_at LIMIT 10000
        ) AS p) AS refused,
       (SELECT count(*) FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'expired' AND q.ended_at > handfast_db.now() - interval '5 minutes'
          AND q.id > (SELECT coalesce(max(n.id), 0) - 100000 FROM handfast_stakes.matchmaking_queue AS n)
       ) AS expired,
       (SELECT count(*) FROM handfast_stakes.claims AS c
        WHERE c.at > handfast_db.now() - interval '5 minutes') AS claims,
       (SELECT count(*) FROM handfast_stakes.claims AS c
        WHERE c.at > handfast_db.now() - interval '5 minutes' AND c.outcome = 'failed') AS failed,
       (SELECT count(*) FROM (
            SELECT 1 FROM handfast_stakes.disputes AS d
            WHERE d.status = 'open' AND d.deadline <= handfast_db.now() LIMIT 1000
        ) AS d) AS undecided;

-- name: clock
SELECT handfast_db.now() AS now;

-- name: reach_of_tickets
-- How far back a page looks: below this id nothing was looked at, and 0 is the end.
SELECT coalesce((
    SELECT q.id FROM handfast_stakes.matchmaking_queue AS q
    WHERE q.id < coalesce($1::bigint, 9223372036854775807) ORDER BY q.id DESC OFFSET $2 LIMIT 1
), 0) AS reach;

-- name: tickets_within
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q
WHERE q.id < coalesce($1::bigint, 9223372036854775807) AND q.id > $2::bigint
  AND ($3::text IS NULL OR q.status = $3)
ORDER BY q.id DESC LIMIT $4;

-- name: older_tickets_of_player
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q
WHERE q.player_id = $1 AND q.id < coalesce($2::bigint, 9223372036854775807)
  AND ($3::text IS NULL OR q.status = $3) AND ($4::bigint IS NULL OR q.stake_amount = $4)
ORDER BY q.id DESC LIMIT $5;

-- name: tickets_in_line
SELECT q.id, q.player_id, q.stake_amount, q.fee, q.currency, q.status, q.created_at, q.queued_at,
       q.expires_at, q.matched_at, q.ended_at, q.session_id, q.transfer_id, q.hold_id, q.line,
       q.changes::integer AS changes
FROM handfast_stakes.matchmaking_queue AS q
WHERE q.status = 'queued' AND q.stake_amount = $1
  AND q.line > coalesce((SELECT b.line FROM handfast_stakes.matchmaking_queue AS b WHERE b.id = $2::bigint), 0)
ORDER BY q.line LIMIT $3;

-- name: first_in_line
SELECT q.player_id FROM handfast_stakes.matchmaking_queue AS q
WHERE q.status = 'queued' AND q.stake_amount = $1 AND q.currency = $2 ORDER BY q.line LIMIT 1;
