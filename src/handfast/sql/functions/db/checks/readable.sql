-- An instant, or the nearest one that can be stored and read: for what was stored before there was a
-- rule, what users' queries answer, and sums that may lead too far.
CREATE OR REPLACE FUNCTION handfast_db.readable(p_at timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN p_at < timestamptz '0001-01-02 00:00:00+00'
                    THEN timestamptz '0001-01-02 00:00:00+00'
                WHEN p_at >= timestamptz '9999-12-31 00:00:00+00'
                    THEN timestamptz '9999-12-30 23:59:59+00'
                ELSE p_at END
$$;
