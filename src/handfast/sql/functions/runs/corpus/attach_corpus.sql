-- A version that is complete becomes part of the corpus: three partitions and its row, in one
-- transaction. Readers go on with the version that is current. False when the version is not being
-- built (any more): somebody took this build for dead and cleared it away.
CREATE OR REPLACE FUNCTION handfast_runs.attach_corpus(p_version integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_parent text;
    v_count  bigint;
    v_counts bigint[] := '{}';
BEGIN
    PERFORM FROM handfast_runs.corpus_versions AS v
    WHERE v.version = p_version AND v.state = 'building' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    FOREACH v_parent IN ARRAY ARRAY['startup_uploads', 'investors', 'startup_investor_matches'] LOOP
        EXECUTE format('SELECT count(*) FROM handfast_runs.%I', v_parent || '_v' || p_version) INTO v_count;
        v_counts := v_counts || v_count;
        EXECUTE format(
            'ALTER TABLE handfast_runs.%I ATTACH PARTITION handfast_runs.%I FOR VALUES IN (%s)',
            v_parent, v_parent || '_v' || p_version, p_version
        );
    END LOOP;
    UPDATE handfast_runs.corpus_versions AS v
    SET state = 'built', built_at = handfast_db.now(),
        startups = v_counts[1], investors = v_counts[2], matches = v_counts[3]
    WHERE v.version = p_version;
    RETURN true;
END
$$;
REVOKE ALL ON FUNCTION handfast_runs.attach_corpus(integer) FROM PUBLIC;
