-- Statements of pairing: who pairs, when to look again, and the log.

-- name: pair
SELECT p.pairs, p.more FROM handfast_stakes.pair($1, $2, $3, $4, $5) AS p;

-- name: next_due
-- In how many seconds something expires; null if nothing does.
SELECT extract(epoch FROM least(
    (SELECT min(q.expires_at) FROM handfast_stakes.matchmaking_queue AS q WHERE q.status = 'queued'),
    (SELECT min(s.expires_at) FROM handfast_stakes.game_sessions AS s
     WHERE s.status IN ('waiting', 'playing'))
) - handfast_db.now())::float8 AS seconds;

-- name: mark_matchmaker
INSERT INTO handfast_stakes.matchmakers (id, worker, seen_at, asleep_until)
VALUES ($1, $2, clock_timestamp(), CASE WHEN $3::interval IS NULL THEN '-infinity'
                                       ELSE clock_timestamp() + $3::interval END)
ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, asleep_until = excluded.asleep_until;

-- name: leave_matchmakers
DELETE FROM handfast_stakes.matchmakers AS m
WHERE m.id = $1 OR m.seen_at < clock_timestamp() - interval '1 hour';

-- name: matchmakers
SELECT m.worker, m.seen_at FROM handfast_stakes.matchmakers AS m
WHERE m.seen_at > clock_timestamp() - interval '3 minutes' ORDER BY m.worker;

-- name: log_failed_claim
INSERT INTO handfast_stakes.claims (at, worker, stake, tickets, outcome, reason)
VALUES (handfast_db.now(), $1, 0, '{}', 'failed', 'refused');

-- name: claims
SELECT c.at, c.worker, c.stake, c.session_id, c.tickets, c.outcome, c.reason
FROM handfast_stakes.claims AS c
WHERE c.at > handfast_db.now() - interval '30 days' AND ($1::bigint IS NULL OR $1::bigint = ANY (c.tickets))
  AND ($2::text IS NULL OR c.outcome = $2::text)
ORDER BY c.at DESC LIMIT $3;

-- name: make_claim_days
SELECT handfast_stakes.make_claim_days($1, $2) AS changed;

-- name: is_made
-- Whether the schema is there: doctor looks before anybody migrates.
SELECT to_regclass('handfast_stakes.matchmakers') IS NOT NULL AS made;
