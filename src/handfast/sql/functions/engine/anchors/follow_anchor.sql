-- A job that stops running, and is to run again, after its anchor was moved: what counts from the anchor
-- is counted from where it is now, as set_anchors does for jobs that wait. The first due time says for
-- which moment a job ran; the deadline, how urgent it is; failures before the move were another time's.
CREATE OR REPLACE FUNCTION engine.follow_anchor(p_id bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE engine.live AS l
    SET first_due_at = n.due_at, deadline_at = n.deadline_at, failures = 0, first_start_at = NULL,
        priority = coalesce(engine.escalated(l.base_priority, n.deadline_at - db.now()), l.base_priority)
    FROM (
        SELECT h.id, db.readable(a.at + h.anchor_offset) AS due_at,
               db.readable(h.deadline_at + (a.at + h.anchor_offset - h.first_due_at))
                   AS deadline_at
        FROM engine.live AS h JOIN engine.anchors AS a ON a.name = h.anchor
        WHERE h.id = p_id AND a.at + h.anchor_offset <> h.first_due_at
    ) AS n
    WHERE l.id = n.id;
END
$$;
