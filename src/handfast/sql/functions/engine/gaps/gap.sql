-- What is wrong with something that is expected, given what there is of its result, of its job and of
-- its dead letter; null if nothing is.
--
-- The first two are used once each: they are often computed by a subquery, and if such an argument
-- were needed twice, PostgreSQL would call this for each row and not put the expression in its place.
CREATE OR REPLACE FUNCTION handfast_engine.gap(
    p_is_covered boolean, p_has_result boolean, p_job_id bigint, p_job_state handfast_engine.job_state,
    p_death text, p_repaired boolean
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN p_is_covered THEN NULL
                WHEN p_job_id IS NULL THEN 'missing'
                WHEN p_job_state = 'succeeded'
                    THEN CASE WHEN NOT p_has_result THEN 'result_missing' ELSE 'stale' END
                WHEN p_job_state <> 'dead' OR p_death IS NULL THEN NULL
                WHEN p_death IN ('transient', 'timeout', 'lost') AND NOT p_repaired
                    THEN 'dead_transient'
                ELSE 'dead' END
$$;
