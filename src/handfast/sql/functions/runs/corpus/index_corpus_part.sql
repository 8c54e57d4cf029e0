-- Gives one table of a version the keys and indexes that its parent has, so that attaching it has
-- nothing left to build. They are read from the parent: there is no second list to keep equal.
CREATE OR REPLACE FUNCTION handfast_runs.index_corpus_part(p_parent text, p_version integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_part  text := p_parent || '_v' || p_version;
    v_index record;
BEGIN
    FOR v_index IN
        SELECT i.indexrelid, c.contype, pg_get_constraintdef(c.oid) AS constraint_is,
               pg_get_indexdef(i.indexrelid) AS index_is
        FROM pg_index AS i LEFT JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid
        WHERE i.indrelid = format('handfast_runs.%I', p_parent)::regclass
        ORDER BY c.contype NULLS LAST, i.indexrelid
    LOOP
        IF v_index.constraint_is IS NOT NULL THEN
            EXECUTE format('ALTER TABLE handfast_runs.%I ADD %s', v_part, v_index.constraint_is);
        ELSE
            EXECUTE 'CREATE INDEX ON ' || format('handfast_runs.%I', v_part)
                || substring(v_index.index_is FROM ' USING .*$');
        END IF;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION handfast_runs.index_corpus_part(text, integer) FROM PUBLIC;
