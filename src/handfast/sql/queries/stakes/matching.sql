-- Statements of pairing: who pairs, when to look again, and the log.

-- name: pair
SELECT p.pairs, p.more, p.tickets FROM handfast_stakes.pair_lines($1, NULL, $2, $3, $4, $5) AS p;

-- name: pair_proposed
SELECT p.pairs, p.more, p.tickets, p.waiting, p.stale
FROM handfast_stakes.pair_proposed($1, $2::bigint[], $3::bigint[], $4, $5, $6, $7) AS p;

-- name: places
-- Where these tickets stand; nulls of those that stand in no line, whatever they are.
SELECT t.id, q.stake_amount AS stake, q.line AS place FROM unnest($1::bigint[]) AS t(id)
LEFT JOIN handfast_stakes.matchmaking_queue AS q
    ON q.id = t.id AND q.status = 'queued' AND q.expires_at > handfast_db.now();

-- name: line_page
-- Who stands in one line behind a place.
SELECT q.id, q.stake_amount AS stake, q.line AS place FROM handfast_stakes.matchmaking_queue AS q
WHERE q.status = 'queued' AND q.stake_amount = $1 AND q.currency = $2 AND q.line > $3
  AND q.expires_at > handfast_db.now()
ORDER BY q.line LIMIT $4;

-- name: next_due
-- In how many seconds something expires; null if nothing does. What cannot, because its money is not as
-- it must be, is nothing to wait for, nor are the tickets $1 and the sessions $2.
SELECT extract(epoch FROM least(
    (SELECT w.expires_at FROM handfast_stakes.in_line AS w
     WHERE w.backed AND w.id <> ALL ($1::bigint[]) ORDER BY w.expires_at LIMIT 1),
    (SELECT p.expires_at FROM handfast_stakes.in_play AS p
     WHERE p.backed AND p.id <> ALL ($2::bigint[]) ORDER BY p.expires_at LIMIT 1)
) - handfast_db.now())::float8 AS seconds;

-- name: matchmaker_is_here
INSERT INTO handfast_stakes.matchmakers (id, worker, seen_at)
VALUES ($1, $2, clock_timestamp())
ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at;

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

-- name: claims_between
-- A bounded look: the log of a busy day has millions.
SELECT c.at, c.worker, c.stake, c.session_id, c.tickets, c.outcome, c.reason
FROM (
    SELECT n.at, n.worker, n.stake, n.session_id, n.tickets, n.outcome, n.reason
    FROM handfast_stakes.claims AS n WHERE n.at >= $2 AND n.at <= coalesce($3, handfast_db.now()) ORDER BY n.at DESC LIMIT $4
) AS c
WHERE $1::bigint = ANY (c.tickets) ORDER BY c.at DESC LIMIT $5;
