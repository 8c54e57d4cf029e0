-- What an item asks for, as sixteen bytes: the same reference with another one is refused. When a hold
-- ends is left out: whoever asks again does so later. Stable, as convert_to is: else PostgreSQL would not
-- put the expression in its place, and would plan it anew for each list.
CREATE OR REPLACE FUNCTION handfast_ledger.request_digest(p_item jsonb) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT substring(sha256(convert_to((p_item - 'hold')::text, 'UTF8')) FOR 16)
$$;
