-- The id of an account by what it is called: a player's by owner and kind, whatever its currency; the
-- platform's by kind and currency. Null if it has not been opened.
CREATE OR REPLACE FUNCTION handfast_ledger.account_called(p_kind text, p_owner text, p_currency text)
RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_owner IS NULL
        THEN (SELECT a.id FROM handfast_ledger.accounts AS a
              WHERE a.owner IS NULL AND a.kind = p_kind::handfast_ledger.account_kind
                AND a.currency = p_currency)
        ELSE (SELECT a.id FROM handfast_ledger.accounts AS a
              WHERE a.owner = p_owner AND a.kind = p_kind::handfast_ledger.account_kind)
    END
$$;
