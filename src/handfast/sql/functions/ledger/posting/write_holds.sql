-- What the accepted items mean for holds: those that they open, and those that they resolve. p_accepted,
-- p_transfers and p_holds say for each item whether it was, and which ids it has. A hold is what goes into
-- escrow, and what one player gives for it: the constraints of its table refuse where these differ.
CREATE OR REPLACE FUNCTION handfast_ledger.write_holds(
    p_items jsonb, p_decided handfast_ledger.decision[], p_accepted boolean[], p_transfers bigint[],
    p_holds bigint[], p_at timestamptz
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO handfast_ledger.holds (
        id, transfer_id, owner, currency, amount, from_credit, from_wallet, queue_id, session_id,
        created_at, expires_at, deadline
    )
    SELECT p_holds[i.item], p_transfers[i.item], s.owner, i.item_of ->> 'currency', s.escrow, -s.credit,
           -s.wallet, (i.item_of ->> 'queue_id')::bigint, (i.item_of ->> 'session_id')::bigint,
           p_at, (i.item_of #>> '{hold,expires_at}')::timestamptz,
           (i.item_of #>> '{hold,deadline}')::timestamptz
    FROM jsonb_array_elements(p_items) WITH ORDINALITY AS i(item_of, item)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN min(a.owner) = max(a.owner) THEN min(a.owner) END AS owner,
               coalesce(sum(d.amount) FILTER (WHERE a.kind = 'escrow'), 0) AS escrow,
               coalesce(sum(d.amount) FILTER (WHERE a.kind = 'credit'), 0) AS credit,
               coalesce(sum(d.amount) FILTER (WHERE a.kind = 'wallet'), 0) AS wallet
        FROM unnest(p_decided) AS d JOIN handfast_ledger.accounts AS a ON a.id = d.account_id
        WHERE d.item = i.item AND d.kind = 'STAKE_IN'
    ) AS s
    WHERE i.item_of ? 'hold' AND p_accepted[i.item]
    ORDER BY i.item;

    UPDATE handfast_ledger.holds AS h
    SET state = i.item_of ->> 'ending', resolved_by = p_transfers[i.item], resolved_at = p_at,
        taken = coalesce((r ->> 'take')::bigint, h.amount)
    FROM jsonb_array_elements(p_items) WITH ORDINALITY AS i(item_of, item),
         jsonb_array_elements(i.item_of -> 'resolves') AS r
    WHERE h.id = (r ->> 'hold')::bigint AND p_accepted[i.item];
END
$$;
