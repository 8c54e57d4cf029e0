-- Whether an instant can be stored (the domain handfast_db.instant says the same): a day within the years 1 to
-- 9999, so that Python knows it too, in whichever time zone. Null for null.
CREATE OR REPLACE FUNCTION handfast_db.is_instant(p_at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT p_at >= timestamptz '0001-01-02 00:00:00+00' AND p_at < timestamptz '9999-12-31 00:00:00+00'
$$;
