-- Between publishing and what ends offers (a block, a deletion). Who publishes takes the shared form,
-- in a statement of its own before it looks, so that it sees what was committed while it waited.
CREATE OR REPLACE FUNCTION handfast_offers.lock_publishing(p_shared boolean) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_shared THEN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('handfast_offers.publishing', 0));
    ELSE
        PERFORM pg_advisory_xact_lock(hashtextextended('handfast_offers.publishing', 0));
    END IF;
END
$$;
