-- A job that stops running, and is to run again, after its anchor was moved: what counts from the anchor
-- is counted from where it is now, as set_anchors does for jobs that wait. The first due time says for
-- which moment a job ran; the deadline, how urgent it is; failures before the move were another time's.
CREATE OR REPLACE FUNCTION handfast_engine.follow_anchor(p_id bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handfast_engine.live AS l
    SET first_due_at = n.due_at, deadline_at = n.deadline_at, failures = 0, first_start_at = NULL,
        priority = coalesce(handfast_engine.escalated(l.base_priority, n.deadline_at - handfast_db.now()), l.base_priority)
    FROM (
        SELECT h.id, handfast_db.readable(a.at + h.anchor_offset) AS due_at,
               handfast_db.readable(h.deadline_at + (a.at + h.anchor_offset - h.first_due_at))
                   AS deadline_at
        FROM handfast_engine.live AS h JOIN handfast_engine.anchors AS a ON a.name = h.anchor
        WHERE h.id = p_id AND a.at + h.anchor_offset <> h.first_due_at
    ) AS n
    WHERE l.id = n.id;
END
$$;
