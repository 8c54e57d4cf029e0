-- Text of a URL in the one spelling that we keep: letters, digits and - . _ ~ never escaped, the
-- characters of p_plain as they came, everything else as %XX of its UTF-8. A % that begins no escape
-- is one that somebody forgot to escape. The twin of _one_escaping in apps/runs/urls.py.
CREATE OR REPLACE FUNCTION handfast_runs.one_escaping(p_text text, p_plain text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF p_text COLLATE "C" ~ '^[A-Za-z0-9._~/-]*$' THEN
        RETURN p_text;
    END IF;
    RETURN (
        SELECT string_agg(
            CASE
                WHEN t.part ~ '^[A-Za-z0-9._~-]$' OR strpos(p_plain, t.part) > 0 THEN t.part
                WHEN t.part ~ '^%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)$'
                    THEN chr(get_byte(decode(substr(t.part, 2), 'hex'), 0))
                WHEN length(t.part) = 3 THEN t.part
                ELSE regexp_replace(
                    upper(encode(convert_to(t.part, 'UTF8'), 'hex')), '(..)', '%\1', 'g')
            END,
            '' ORDER BY t.place)
        FROM (
            SELECT CASE WHEN length(m.found[1]) = 3 THEN upper(m.found[1]) ELSE m.found[1] END
                   COLLATE "C" AS part, m.place
            FROM regexp_matches(p_text COLLATE "C", '%[0-9A-Fa-f]{2}|.', 'g')
                 WITH ORDINALITY AS m(found, place)
        ) AS t
    );
END
$$;

REVOKE ALL ON FUNCTION handfast_runs.one_escaping(text, text) FROM PUBLIC;
