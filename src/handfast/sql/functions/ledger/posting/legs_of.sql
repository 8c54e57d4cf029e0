-- The legs that a list of items (see post) comes to, in order: those that are written out, and for
-- each hold that an item resolves what leaves escrow and what of it goes back. Credit is spent first,
-- so what is not taken goes back to the wallet first.
CREATE OR REPLACE FUNCTION handfast_ledger.legs_of(p_items jsonb) RETURNS TABLE (
    item integer, place bigint, account text, owner text, amount bigint, kind text, currency text,
    queue_id bigint, session_id bigint
)
LANGUAGE sql STABLE AS $$
    WITH items AS (
        SELECT i.item::integer, i.item_of ->> 'kind' AS kind, i.item_of ->> 'currency' AS currency,
               (i.item_of ->> 'queue_id')::bigint AS queue_id,
               (i.item_of ->> 'session_id')::bigint AS session_id,
               i.item_of -> 'legs' AS legs, i.item_of -> 'resolves' AS resolves,
               i.item_of ->> 'back' AS back
        FROM jsonb_array_elements(p_items) WITH ORDINALITY AS i(item_of, item)
    )
    SELECT i.item, l.place, l.leg ->> 'account', l.leg ->> 'owner', (l.leg ->> 'amount')::bigint,
           coalesce(l.leg ->> 'kind', i.kind), i.currency, i.queue_id, i.session_id
    FROM items AS i
    CROSS JOIN LATERAL jsonb_array_elements(i.legs) WITH ORDINALITY AS l(leg, place)
    UNION ALL
    SELECT i.item, 1000 + 4 * r.place + p.part, p.account, p.owner, p.amount, p.kind, i.currency,
           h.queue_id, h.session_id
    FROM items AS i
    CROSS JOIN LATERAL jsonb_array_elements(i.resolves) WITH ORDINALITY AS r(hold, place)
    JOIN handfast_ledger.holds AS h ON h.id = (r.hold ->> 'hold')::bigint
    CROSS JOIN LATERAL (SELECT coalesce((r.hold ->> 'take')::bigint, h.amount) AS take) AS t
    CROSS JOIN LATERAL (
        SELECT h.amount - t.take AS amount, CASE i.back WHEN 'credit' THEN 'CREDIT' ELSE 'REFUND' END AS kind,
               CASE i.back WHEN 'credit' THEN 0 ELSE least(h.amount - t.take, h.from_wallet) END AS wallet
    ) AS b
    CROSS JOIN LATERAL (VALUES
        (0, 'escrow', NULL, -t.take, i.kind),
        (1, 'escrow', NULL, -b.amount, b.kind),
        (2, 'wallet', h.owner, b.wallet, b.kind),
        (3, 'credit', h.owner, b.amount - b.wallet, b.kind)
    ) AS p(part, account, owner, amount, kind)
    WHERE p.amount <> 0
    ORDER BY 1, 2
$$;
