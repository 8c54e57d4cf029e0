-- Deletes what has expired among some pages of the table; next_page is null at its end. A request
-- that still runs keeps its record, however old. Whatever somebody holds is left for the next time.
CREATE OR REPLACE FUNCTION handfast_idempotency.prune(
    p_page bigint, p_pages integer, OUT gone integer, OUT next_page bigint
) LANGUAGE plpgsql AS $$
DECLARE
    v_from  tid := format('(%s,0)', p_page)::tid;
    v_to    tid := format('(%s,0)', p_page + p_pages)::tid;
    v_old   tid[];
BEGIN
    v_old := ARRAY(
        SELECT r.ctid FROM handfast_idempotency.records AS r
        WHERE r.ctid >= v_from AND r.ctid < v_to
          AND r.expires_at <= handfast_db.now() AND NOT EXISTS (
              SELECT 1 FROM handfast_idempotency.servers AS s
              WHERE s.id = r.server AND s.alive_until > handfast_db.now()
          )
        FOR UPDATE OF r SKIP LOCKED
    );
    DELETE FROM handfast_idempotency.records AS r WHERE r.ctid = ANY (v_old);
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF (p_page + p_pages) * current_setting('block_size')::bigint
       < pg_relation_size('handfast_idempotency.records') THEN
        next_page := p_page + p_pages;
    END IF;
END
$$;
