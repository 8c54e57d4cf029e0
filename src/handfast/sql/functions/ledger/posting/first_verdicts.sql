-- What can be said of items before any balance is looked at, in their order: a reference that is there
-- already, with the same request or another; a hold that is unknown, resolved or smaller than what is
-- to be taken. Holds are locked by then.
CREATE OR REPLACE FUNCTION handfast_ledger.first_verdicts(p_items jsonb) RETURNS TABLE (
    item bigint, verdict text, transfer_id bigint, hold_id bigint
)
LANGUAGE sql STABLE AS $$
    SELECT i.item,
           CASE WHEN t.id IS NOT NULL AND t.request = handfast_ledger.request_digest(i.item_of) THEN 'repeated'
                WHEN t.id IS NOT NULL THEN 'reference_reused'
                WHEN i.item_of ? 'resolves' THEN coalesce((
                    SELECT CASE WHEN h.id IS NULL THEN 'unknown_hold'
                                WHEN h.state <> 'held' THEN 'hold_resolved'
                                WHEN h.currency <> i.item_of ->> 'currency' THEN 'other_currency'
                                ELSE 'unbalanced' END
                    FROM jsonb_array_elements(i.item_of -> 'resolves') AS r
                    LEFT JOIN handfast_ledger.holds AS h ON h.id = (r ->> 'hold')::bigint
                    WHERE h.id IS NULL OR h.state <> 'held' OR h.currency <> i.item_of ->> 'currency'
                       OR (r ->> 'take')::bigint NOT BETWEEN 0 AND h.amount
                    LIMIT 1
                ), 'posted')
                ELSE 'posted' END,
           t.id,
           (SELECT h.id FROM handfast_ledger.holds AS h WHERE h.transfer_id = t.id)
    FROM jsonb_array_elements(p_items) WITH ORDINALITY AS i(item_of, item)
    LEFT JOIN handfast_ledger.transfers AS t ON t.reference = i.item_of ->> 'reference'
    ORDER BY i.item
$$;
