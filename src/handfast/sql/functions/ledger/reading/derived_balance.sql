-- What a platform's account comes to, now or at a past instant: the total of the last seal that is
-- wholly before it, and the entries since.
CREATE OR REPLACE FUNCTION handfast_ledger.derived_balance(p_account bigint, p_at timestamptz)
RETURNS bigint
LANGUAGE sql STABLE AS $$
    WITH last AS (
        SELECT s.number, s.epoch, s.until FROM handfast_ledger.seals AS s
        WHERE s.newest_at <= coalesce(p_at, 'infinity') ORDER BY s.newest_at DESC, s.number DESC LIMIT 1
    )
    SELECT (
        coalesce((SELECT t.total FROM last AS l
                  JOIN handfast_ledger.seal_totals AS t ON t.seal = l.number AND t.account_id = p_account), 0)
        + coalesce((
            SELECT sum(e.amount)
            FROM handfast_ledger.transfers AS t
            JOIN handfast_ledger.entries AS e ON e.transfer_id = t.id AND e.account_id = p_account
            WHERE (t.epoch, t.xid) >= (coalesce((SELECT l.epoch FROM last AS l), 0::smallint),
                                       coalesce((SELECT l.until FROM last AS l), '0'::xid8))
              AND e.at <= coalesce(p_at, 'infinity')
        ), 0)
    )::bigint
$$;
