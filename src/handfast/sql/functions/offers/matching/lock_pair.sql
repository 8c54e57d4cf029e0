-- Two people, whichever is named first: whatever changes what is between them comes one after the
-- other. In a statement of its own, before anything is read.
CREATE OR REPLACE FUNCTION handfast_offers.lock_pair(p_one uuid, p_other uuid) RETURNS void
LANGUAGE sql VOLATILE
AS $$
    SELECT pg_advisory_xact_lock(hashtextextended(
        'handfast_offers.pair ' || least(p_one, p_other) || ' ' || greatest(p_one, p_other), 0))
$$;
