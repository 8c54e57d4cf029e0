-- The canonical URLs under which the startup of this one may be known, most specific first: itself,
-- without its query, each shorter path, without its port, each domain above. It ends where names
-- begin to belong to others: below a public suffix or another host that gives out names
-- (acme.github.io is not github.io's, nor acme.tumblr.com tumblr.com's), and on a host that carries many
-- companies at the segments of the path which name one (github.com/acme, gust.com/c/acme).
--
-- Bounded: at most eight segments of the path and eight domains above are tried.
CREATE OR REPLACE FUNCTION handfast_runs.addresses_of(p_canonical_url text) RETURNS text[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_base     text COLLATE "C" := split_part(p_canonical_url, '?', 1);  -- https://host[:port]/path
    v_site     text COLLATE "C" := substring(p_canonical_url FROM '^https://[^/?]*');
    v_host     text COLLATE "C" := substring(p_canonical_url FROM '^https://([^/?:]*)');
    v_segments text[] := string_to_array(substr(v_base, length(v_site) + 2), '/');
    v_shared   integer;
    v_found    text[] := ARRAY[p_canonical_url];
BEGIN
    IF v_base <> p_canonical_url THEN
        v_found := v_found || v_base;
    END IF;
    v_shared := coalesce(handfast_runs.shared_segments(v_host || '/' || v_segments[1]) + 1,  -- in a folder
                         handfast_runs.shared_segments(v_host), 0);
    FOR v_many IN REVERSE least(cardinality(v_segments) - 1, 8) .. greatest(v_shared, 1) LOOP
        v_found := v_found || (v_site || '/' || array_to_string(v_segments[:v_many], '/'));
    END LOOP;
    IF v_shared > 0 THEN
        RETURN v_found;
    END IF;
    IF v_site <> v_base THEN
        v_found := v_found || v_site;
    END IF;
    IF v_site <> 'https://' || v_host THEN
        v_found := v_found || ('https://' || v_host);
    END IF;
    IF handfast_runs.suffix_section(v_host) IS NULL THEN  -- or else nobody is above it
        FOR v_above IN 1 .. 8 LOOP
            v_host := substr(v_host, strpos(v_host, '.') + 1);
            EXIT WHEN handfast_runs.suffix_section(v_host) IS NOT NULL
                   OR handfast_runs.shared_segments(v_host) IS NOT NULL;
            v_found := v_found || ('https://' || v_host);
        END LOOP;
    END IF;
    RETURN v_found;
END
$$;

REVOKE ALL ON FUNCTION handfast_runs.addresses_of(text) FROM PUBLIC;
