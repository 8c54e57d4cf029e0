-- Those whose identity was forgotten come back no more.
DELETE FROM handfast_engine.anchored_ends AS e
WHERE NOT EXISTS (SELECT 1 FROM handfast_engine.jobs AS j WHERE j.id = e.job_id);

-- What the history still has is kept from now on. What it has not, nobody knows any more: see
-- handfast_engine.set_anchors.
UPDATE handfast_engine.anchored_ends AS e SET payload = a.payload
FROM handfast_engine.jobs AS j
JOIN handfast_engine.attempts AS a
    ON a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token
WHERE j.id = e.job_id AND e.payload IS NULL AND a.payload IS NOT NULL;
