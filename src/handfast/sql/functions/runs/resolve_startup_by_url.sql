-- The startup that a URL leads to, in a version of the corpus or in the current one; no row if there
-- is none. The most specific address under which anybody is known wins (runs.addresses_of). An alias
-- counts in both directions: the corpus may still know a company by its old address.
--
-- Raises HF002 for what is no URL, as runs.canonicalize_url does.
CREATE OR REPLACE FUNCTION runs.resolve_startup_by_url(p_url text, p_version integer DEFAULT NULL)
RETURNS TABLE (startup_id text, name text, canonical_url text, version integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_addresses text[] := runs.addresses_of(runs.canonicalize_url(p_url));
    v_version   integer := coalesce(
        p_version, (SELECT c.version FROM runs.corpus_versions AS c WHERE c.state = 'current'));
BEGIN
    RETURN QUERY
    SELECT s.startup_id::text, s.name, s.canonical_url::text, s.version
    FROM unnest(v_addresses) WITH ORDINALITY AS a(address, place)
    CROSS JOIN LATERAL (SELECT runs.apply_alias(a.address) COLLATE "C" AS address) AS present
    CROSS JOIN LATERAL (
        SELECT present.address, 1 AS choice
        UNION ALL
        SELECT o.canonical_url, 2 FROM runs.aliases AS o WHERE o.target = present.address
    ) AS known
    JOIN runs.startup_uploads AS s ON s.version = v_version AND s.canonical_url = known.address
    ORDER BY a.place, known.choice, known.address
    LIMIT 1;
END
$$;

REVOKE ALL ON FUNCTION runs.resolve_startup_by_url(text, integer) FROM PUBLIC;
