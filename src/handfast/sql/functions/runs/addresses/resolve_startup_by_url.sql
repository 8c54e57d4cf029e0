-- The startup that a URL leads to, in a version of the corpus or in the current one; no row if there
-- is none. The most specific address under which anybody is known wins (handfast_runs.addresses_of). An alias
-- counts in both directions: the corpus may still know a company by its old address.
--
-- Raises HF002 for what is no URL, as handfast_runs.canonicalize_url does.
--
-- The addresses are gathered first and then looked up one by one in the index: a join, or = ANY,
-- would depend on statistics, which a version that was filled a moment ago does not have. The plans
-- are generic, or else PostgreSQL would plan anew at each call because of the partitions.
CREATE OR REPLACE FUNCTION handfast_runs.resolve_startup_by_url(
    url            text,
    corpus_version integer DEFAULT NULL
)
RETURNS TABLE (startup_id text, name text, canonical_url text, version integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_version integer := coalesce(
        corpus_version, (SELECT c.version FROM handfast_runs.corpus_versions AS c WHERE c.state = 'current'));
    v_known   text[] COLLATE "C";
BEGIN
    SELECT array_agg(k.address ORDER BY a.place, k.choice, k.address) INTO v_known
    FROM unnest(handfast_runs.addresses_of(handfast_runs.canonicalize_url(resolve_startup_by_url.url))) WITH ORDINALITY AS a(address, place)
    LEFT JOIN handfast_runs.aliases AS l ON l.canonical_url = a.address
    CROSS JOIN LATERAL (
        SELECT coalesce(l.target, a.address) AS address, 1 AS choice
        UNION ALL
        SELECT o.canonical_url, 2 FROM handfast_runs.aliases AS o WHERE o.target = coalesce(l.target, a.address)
    ) AS k;

    RETURN QUERY
    SELECT f.startup_id::text, f.name, f.canonical_url::text, f.version
    FROM unnest(v_known) WITH ORDINALITY AS k(address, place)
    CROSS JOIN LATERAL (
        SELECT s.startup_id, s.name, s.canonical_url, s.version FROM handfast_runs.startup_uploads AS s
        WHERE s.version = v_version AND s.canonical_url = k.address
        LIMIT 1  -- there is but one; this keeps the planner at the index
    ) AS f
    ORDER BY k.place
    LIMIT 1;
END
$$;

REVOKE ALL ON FUNCTION handfast_runs.resolve_startup_by_url(text, integer) FROM PUBLIC;
