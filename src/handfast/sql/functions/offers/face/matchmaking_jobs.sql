-- Sets of offers, and jobs that will make one: the source's ledger, to be read. The id is there once the
-- set is. Sets stay for ever; what is known of the attempts goes with the history.
CREATE OR REPLACE VIEW handfast.matchmaking_jobs AS
SELECT s.id, s.day AS batch_date, s.zone AS timezone, s.user_id, s.type AS job_type, s.status, s.offers::integer
           AS offers,
       a.attempt AS attempt_count, greatest(a.attempt - 1, 0) AS retry_count,
       s.day || ':' || s.zone || ':' || s.user_id || ':' || s.type AS idempotency_key,
       a.started_at, s.made_at AS completed_at, s.reason AS error_message
FROM handfast_offers.sets AS s
LEFT JOIN handfast_engine.known_jobs AS j
    ON j.kind = CASE s.type WHEN 'daily_offers' THEN 'offers.daily' ELSE 'offers.weekly_anchor' END
   AND j.key = CASE s.type WHEN 'daily_offers' THEN s.day::text ELSE to_char(s.day, 'IYYY-"W"IW') END
               || ':' || s.user_id
LEFT JOIN LATERAL (
    SELECT e.attempt, e.started_at FROM handfast_engine.ended_attempts AS e
    WHERE e.job_id = j.id AND e.finished_at = j.finished_at AND e.token = j.token LIMIT 1
) AS a ON true
UNION ALL
SELECT NULL, k.day, u.timezone, k.user_id, 'daily_offers',
       CASE WHEN j.state = 'dead' THEN 'failed'
            WHEN j.state IS NOT NULL THEN j.state::text
            WHEN l.state = 'running' THEN 'running'
            ELSE 'pending' END,
       0, l.attempt, l.failures, k.day || ':' || u.timezone || ':' || k.user_id || ':daily_offers',
       l.started_at, j.finished_at, l.reason
FROM handfast_engine.known_jobs AS j
CROSS JOIN LATERAL (
    SELECT split_part(j.key, ':', 1)::date AS day, split_part(j.key, ':', 2)::uuid AS user_id
) AS k
LEFT JOIN handfast_engine.live_jobs AS l ON l.id = j.id
LEFT JOIN handfast_people.users AS u ON u.id = k.user_id
WHERE j.kind = 'offers.daily'
  AND NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s
                  WHERE s.day = k.day AND s.user_id = k.user_id AND s.type = 'daily_offers');

COMMENT ON VIEW handfast.matchmaking_jobs IS 'one row for each set of offers, made, skipped or to be made';
