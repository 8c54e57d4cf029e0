-- The canonical form of a URL: https://host[:port][/path][?query], what a run is unique by. See
-- docs/concepts/urls.md. The function of record is canonical_url in apps/runs/urls.py; this one
-- equals it for hosts in ASCII, and a test over thousands of URLs holds the two together. It refuses
-- (SQLSTATE HF002) what that one refuses, and any other host, for IDNA needs tables that PostgreSQL
-- does not have. For the same reason it believes a label that begins with xn--.
CREATE OR REPLACE FUNCTION handfast_runs.canonicalize_url(text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_text      text COLLATE "C" := btrim(canonicalize_url.text, E' \t\r\n');
    v_scheme    text COLLATE "C";
    v_rest      text COLLATE "C";  -- the authority and all that follows
    v_query     text COLLATE "C";
    v_authority text COLLATE "C";
    v_host      text COLLATE "C";
    v_port      text COLLATE "C";
    v_path      text COLLATE "C" := '';
    v_segment   text COLLATE "C";
    v_segments  text[] := '{}';
    v_canonical text COLLATE "C";
    v_wrong     text;
    v_hint      text := 'Give the address of the company''s site, for example https://acme.com.';
BEGIN
    <<checks>>
    BEGIN
        v_wrong := 'The URL is empty.';
        EXIT checks WHEN v_text = '';
        v_wrong := format('The URL has %s characters, and at most 2048 are taken.', length(v_text));
        EXIT checks WHEN length(v_text) > 2048;
        v_wrong := 'The URL contains control characters.';
        EXIT checks WHEN v_text ~ '[\u0001-\u001f\u007f-\u009f]';

        -- acme.com:8080 begins like a scheme, and is none.
        v_scheme := lower(substring(v_text FROM '^([A-Za-z][A-Za-z0-9+.-]*):'));
        v_rest := substr(v_text, length(v_scheme) + 2);
        IF v_scheme IN ('http', 'https') THEN
            NULL;
        ELSIF v_scheme IS NULL THEN
            v_wrong := 'The URL names no host.';
            EXIT checks WHEN v_text ~ '^[/\\]([^/\\]|$)';
            v_rest := v_text;
        ELSIF v_rest !~ '^//' AND (strpos(v_scheme, '.') > 0 OR v_rest ~ '^[0-9]+([/\\?#]|$)') THEN
            v_rest := v_text;
        ELSE
            v_wrong := format('The scheme is %s.', left(v_scheme, 40));
            EXIT checks;
        END IF;
        v_rest := split_part(regexp_replace(v_rest, '^[/\\]+', ''), '#', 1);
        v_query := substr(v_rest, nullif(strpos(v_rest, '?'), 0) + 1);
        v_rest := replace(split_part(v_rest, '?', 1), '\', '/');
        v_rest := regexp_replace(v_rest, '^:?@', '');  -- neither a name nor a password
        v_authority := split_part(v_rest, '/', 1);

        v_wrong := 'The URL contains a user name or a password.';
        EXIT checks WHEN strpos(v_authority, '@') > 0;
        v_wrong := 'The URL has an IP address in place of a name.';
        EXIT checks WHEN v_authority LIKE '[%';
        v_wrong := 'The port is not a number from 1 to 65535.';
        EXIT checks WHEN v_authority !~ '^[^:]*(:([0-9]*))?$';
        v_port := ltrim(substring(v_authority FROM ':(0*[1-9][0-9]*|0+)$'), '0');
        EXIT checks WHEN v_port = '' OR length(v_port) > 5 OR lpad(v_port, 5, '0') > '65535';

        v_host := handfast_runs.one_escaping(split_part(v_authority, ':', 1), '');
        IF v_host ~ '%' THEN
            v_wrong := 'The host is not in ASCII.';
            v_hint := 'Pass it in punycode, for example xn--bcher-kva.example for bücher.example; '
                      'the HTTP API, the command line and the Python function do that themselves.';
            EXIT checks;
        END IF;
        v_host := regexp_replace(lower(v_host), '\.$', '');
        v_wrong := 'The URL has an IP address in place of a name.';
        EXIT checks WHEN v_host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$';
        v_wrong := format('%s is not the name of a host.', left(v_host, 80));
        EXIT checks WHEN length(v_host) > 253 OR v_host !~
            '^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$';
        v_wrong := format('%s is a name for use inside a network only.', left(v_host, 80));
        EXIT checks WHEN v_host ~ ('(^|\.)(alt|arpa|corp|home|internal|intranet|invalid|lan|local'
                                   '|localdomain|localhost|onion|private)$');
        WHILE v_host LIKE 'www.%'
              AND handfast_runs.suffix_section(substr(v_host, 5)) IS DISTINCT FROM 'icann' LOOP
            v_host := substr(v_host, 5);
        END LOOP;
        v_wrong := format('%s is nobody''s name: companies have names below it.', left(v_host, 80));
        EXIT checks WHEN handfast_runs.suffix_section(v_host) = 'icann';

        FOREACH v_segment IN ARRAY string_to_array(
            handfast_runs.one_escaping(substr(v_rest, length(v_authority) + 2), '!$&''()*+,;=:@/'), '/') LOOP
            IF v_segment = '..' THEN
                v_segments := trim_array(v_segments, least(1, cardinality(v_segments)));
            ELSIF v_segment <> '.' THEN
                v_segments := v_segments || v_segment;
            END IF;
        END LOOP;
        v_path := rtrim('/' || array_to_string(v_segments, '/'), '/');

        SELECT string_agg(p.part, '&' ORDER BY p.part COLLATE "C") INTO v_query
        FROM string_to_table(handfast_runs.one_escaping(v_query, '!$&()*+,;=:@/?'), '&') AS p(part)
        WHERE p.part <> '' AND lower(split_part(p.part, '=', 1)) COLLATE "C" !~ (
            '^((utm|hsa|mtm|pk|piwik|matomo)_.*|_branch_match_id|_ga|_gl|_hsenc|_hsmi|__hsfp|__hssc|__hstc'
            '|_openstat|cjevent|dclid|epik|fbclid|gad_campaignid|gad_source|gbraid|gclid|gclsrc'
            '|hsctatracking|igsh|igshid|irclickid|li_fat_id|mc_cid|mc_eid|mibextid|mkt_tok|ml_subscriber'
            '|ml_subscriber_hash|msclkid|oly_anon_id|oly_enc_id|rb_clickid|rdt_cid|ref|ref_src|ref_url'
            '|referer|referrer|s_cid|scid|srsltid|trk|ttclid|twclid|vero_conv|vero_id|wbraid|wickedid'
            '|yclid|ymclid|ysclid|zanpid)$');

        v_canonical := 'https://' || v_host
                       || CASE WHEN v_port NOT IN ('80', '443') THEN ':' || v_port ELSE '' END
                       || v_path || coalesce('?' || v_query, '');
        v_wrong := format('The canonical URL has %s characters, and at most 2048 are taken.',
                          length(v_canonical));
        EXIT checks WHEN length(v_canonical) > 2048;
        RETURN v_canonical;
    END checks;
    RAISE EXCEPTION '%', v_wrong USING ERRCODE = 'HF002', HINT = v_hint;
END
$$;

REVOKE ALL ON FUNCTION handfast_runs.canonicalize_url(text) FROM PUBLIC;
