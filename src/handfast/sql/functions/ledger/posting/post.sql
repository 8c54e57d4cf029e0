-- Carries out a list of items, each a transfer: in order, each wholly or not at all, with a verdict
-- for each. What is wrong with one (a repeated reference, missing funds, another currency, a hold that
-- is resolved) fails that one only. A reference, and a hold, is named once in a list. An item is
--
--   {"reference": "…", "kind": "STAKE", "currency": "EUR", "queue_id": 7, "session_id": null,
--    "legs": [{"account": "wallet", "owner": "…", "amount": -5000, "kind": "STAKE_IN"}, …],
--    "hold": {"expires_at": "…", "deadline": "…"},            its STAKE_IN is a hold
--    "resolves": [{"hold": 7, "take": 5000}, …], "ending": "settled", "back": "source"}
--
-- The account "funds" takes from the owner's credit first, and from the wallet then.
--
-- Locks: holds by id, then players' accounts by id, and nothing of the platform's. What they hold is
-- read in the statements after: a wait inside a statement does not refresh its snapshot. A reference
-- that another transaction writes in this moment, for other accounts, is a serialization failure: the
-- next attempt sees it.
--
-- Plans are made once: making them anew for each list cost several times what carrying it out does, and
-- one that was made while the tables were small must not read them from end to end later.
CREATE OR REPLACE FUNCTION handfast_ledger.post(p_items jsonb) RETURNS TABLE (
    item integer, verdict text, transfer_id bigint, hold_id bigint, account text, available bigint
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    v_legs      handfast_ledger.posting_leg[];
    v_ids       bigint[];
    v_locked    bigint[];
    v_balances  bigint[];
    v_currencies text[];
    v_at        timestamptz;
    v_epoch     smallint;
    v_verdicts  text[];
    v_wanted    text[];
    v_transfers bigint[];
    v_holds     bigint[];
    v_decided   handfast_ledger.decision[];
    v_accepted  boolean[];
    v_count     integer;
BEGIN
    IF p_items @? '$[*].resolves' THEN
        PERFORM 1 FROM handfast_ledger.holds AS h
        WHERE h.id IN (SELECT (r ->> 'hold')::bigint
                       FROM jsonb_array_elements(p_items) AS i, jsonb_array_elements(i -> 'resolves') AS r)
        ORDER BY h.id FOR NO KEY UPDATE;
    END IF;

    FOR v_round IN 1..2 LOOP
        SELECT array_agg(ROW(l.item, l.account, l.owner, l.amount, l.kind, l.queue_id, l.session_id, l.id,
                             l.credit_id, NULL, NULL)::handfast_ledger.posting_leg),
               array_agg(l.id) || array_agg(l.credit_id)
        INTO v_legs, v_ids
        FROM (
            SELECT l.*, CASE WHEN l.owner IS NULL THEN (
                       SELECT a.id FROM handfast_ledger.accounts AS a
                       WHERE a.owner IS NULL AND a.kind = l.account::handfast_ledger.account_kind
                         AND a.currency = l.currency
                   ) ELSE (
                       SELECT a.id FROM handfast_ledger.accounts AS a
                       WHERE a.owner = l.owner AND a.kind = (CASE l.account WHEN 'funds' THEN 'wallet'
                             ELSE l.account END)::handfast_ledger.account_kind
                   ) END AS id,
                   (SELECT a.id FROM handfast_ledger.accounts AS a
                    WHERE a.owner = l.owner AND a.kind = 'credit' AND l.account = 'funds') AS credit_id
            FROM handfast_ledger.legs_of(p_items) AS l
        ) AS l;
        EXIT WHEN v_round = 2 OR array_position(v_ids[:cardinality(v_legs)], NULL) IS NULL;
        PERFORM handfast_ledger.open_accounts(p_items);
    END LOOP;

    PERFORM 1 FROM handfast_ledger.accounts AS a
    WHERE a.id = ANY (v_ids) AND a.owner IS NOT NULL ORDER BY a.id FOR NO KEY UPDATE;
    SELECT array_agg(a.id ORDER BY a.id), array_agg(a.balance ORDER BY a.id),
           array_agg(a.currency ORDER BY a.id), greatest(handfast_db.now(), max(a.changed_at))
    INTO v_locked, v_balances, v_currencies, v_at
    FROM handfast_ledger.accounts AS a WHERE a.id = ANY (v_ids) AND a.owner IS NOT NULL;
    SELECT array_agg(n.id ORDER BY n.id) INTO v_transfers
    FROM (SELECT nextval('handfast_ledger.transfers_id_seq') AS id
          FROM generate_series(1, jsonb_array_length(p_items))) AS n;
    SELECT array_agg(f.verdict ORDER BY f.item),
           array_agg(coalesce(f.transfer_id, v_transfers[f.item]) ORDER BY f.item),
           array_agg(CASE WHEN f.transfer_id IS NOT NULL THEN f.hold_id
                          WHEN p_items -> (f.item::integer - 1) ? 'hold'
                          THEN nextval('handfast_ledger.holds_id_seq') END ORDER BY f.item),
           array_agg(p_items -> (f.item::integer - 1) ->> 'currency' ORDER BY f.item)
    INTO v_verdicts, v_transfers, v_holds, v_wanted
    FROM handfast_ledger.first_verdicts(p_items) AS f;

    SELECT array_agg(ROW(l.item, l.account, l.owner, l.amount, l.kind, l.queue_id, l.session_id, l.account_id,
                         l.credit_id, array_position(v_locked, l.account_id),
                         array_position(v_locked, l.credit_id))::handfast_ledger.posting_leg)
    INTO v_legs FROM unnest(v_legs) AS l;
    SELECT array_agg(d) INTO v_decided
    FROM handfast_ledger.decide(v_legs, v_verdicts, v_wanted, v_balances, v_currencies) AS d;
    SELECT array_agg(v.accepted ORDER BY v.item), count(*) FILTER (WHERE v.accepted)
    INTO v_accepted, v_count
    FROM (SELECT d.item, bool_and(d.verdict = 'posted') AS accepted FROM unnest(v_decided) AS d
          GROUP BY d.item) AS v;

    IF v_count > 0 THEN
        v_epoch := handfast_ledger.current_epoch();
        INSERT INTO handfast_ledger.transfers (id, xid, at, kind, epoch, request, reference)
        SELECT v_transfers[i.item], pg_current_xact_id(), v_at,
               (i.item_of ->> 'kind')::handfast_ledger.transfer_kind, v_epoch,
               handfast_ledger.request_digest(i.item_of), i.item_of ->> 'reference'
        FROM jsonb_array_elements(p_items) WITH ORDINALITY AS i(item_of, item)
        WHERE v_accepted[i.item]
        ON CONFLICT (reference) DO NOTHING;
        GET DIAGNOSTICS v_count = ROW_COUNT;
        IF v_count < (SELECT count(*) FROM unnest(v_accepted) AS a WHERE a) THEN
            RAISE EXCEPTION 'another transaction wrote a transfer with the same reference in this moment'
                USING ERRCODE = 'serialization_failure', HINT = 'Nothing was stored. Try again.';
        END IF;
        UPDATE handfast_ledger.accounts AS a SET balance = f.balance, changed_at = v_at
        FROM (SELECT DISTINCT ON (d.account_id) d.account_id, d.balance
              FROM unnest(v_decided) WITH ORDINALITY AS d WHERE d.balance IS NOT NULL
              ORDER BY d.account_id, d.ordinality DESC) AS f
        WHERE a.id = f.account_id;
        INSERT INTO handfast_ledger.entries (
            transfer_id, line, account_id, amount, balance, at, kind, queue_id, session_id
        )
        SELECT v_transfers[d.item], d.line, d.account_id, d.amount, d.balance, v_at, d.kind, d.queue_id,
               d.session_id
        FROM unnest(v_decided) AS d WHERE d.amount IS NOT NULL;
        IF p_items @? '$[*].hold' OR p_items @? '$[*].resolves' THEN
            PERFORM handfast_ledger.write_holds(p_items, v_decided, v_accepted, v_transfers, v_holds, v_at);
        END IF;
    END IF;

    RETURN QUERY
    SELECT d.item, d.verdict,
           CASE WHEN d.verdict IN ('posted', 'repeated', 'reference_reused') THEN v_transfers[d.item] END,
           CASE WHEN d.verdict IN ('posted', 'repeated') THEN v_holds[d.item] END, d.account, d.available
    FROM unnest(v_decided) AS d WHERE d.line = 1 OR d.line IS NULL ORDER BY d.item;
END
$$;
