-- What becomes of legs, in order, given the balances of the players' accounts that are locked: an
-- entry for each that is accepted, and one row with the reason for each item that is not. An item is
-- taken wholly or not at all; p_verdicts has those that are refused already. Reads no table.
CREATE OR REPLACE FUNCTION handfast_ledger.decide(
    p_legs handfast_ledger.posting_leg[], p_verdicts text[], p_item_currencies text[], p_balances bigint[],
    p_currencies text[]
) RETURNS SETOF handfast_ledger.decision
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    c_balance_max CONSTANT bigint := 9007199254740991;
    v_balances bigint[] := p_balances;
    v_tried    bigint[];
    v_legs     integer := coalesce(cardinality(p_legs), 0);
    v_next     integer := 1;
    v_leg      handfast_ledger.posting_leg;
    v_entries  handfast_ledger.decision[];
    v_made     handfast_ledger.decision;
    v_line     smallint;
    v_sum      bigint;
    v_taken    bigint;
    v_left     bigint;
BEGIN
    FOR v_item IN 1..cardinality(p_verdicts) LOOP
        v_tried := v_balances;
        v_entries := '{}';
        v_line := 0;
        v_sum := 0;
        v_made := ROW(v_item, p_verdicts[v_item], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        WHILE v_next <= v_legs AND p_legs[v_next].item = v_item LOOP
            v_leg := p_legs[v_next];
            v_next := v_next + 1;
            CONTINUE WHEN v_made.verdict <> 'posted';
            v_sum := v_sum + v_leg.amount;
            v_taken := 0;
            v_left := NULL;
            IF v_leg.owner IS NOT NULL THEN
                IF v_leg.credit_place IS NOT NULL THEN
                    v_taken := least(-v_leg.amount, v_tried[v_leg.credit_place]);
                END IF;
                v_left := coalesce(v_tried[v_leg.place], 0) + v_leg.amount + v_taken;
                v_made.account := v_leg.account || ':' || v_leg.owner;
                IF p_item_currencies[v_item] <> ANY (
                    ARRAY[p_currencies[v_leg.place], p_currencies[v_leg.credit_place]]
                ) THEN
                    v_made.verdict := 'other_currency';
                    CONTINUE;
                ELSIF v_left NOT BETWEEN 0 AND c_balance_max THEN
                    v_made.verdict := CASE WHEN v_left < 0 THEN 'insufficient_funds' ELSE 'balance_too_large' END;
                    v_made.available := v_left - v_leg.amount;
                    CONTINUE;
                END IF;
            END IF;
            IF v_taken > 0 THEN
                v_line := v_line + 1;
                v_tried[v_leg.credit_place] := v_tried[v_leg.credit_place] - v_taken;
                v_entries := v_entries || ROW(
                    v_item, 'posted', NULL, NULL, v_line, v_leg.credit_id, -v_taken,
                    v_tried[v_leg.credit_place], v_leg.kind, v_leg.queue_id, v_leg.session_id
                )::handfast_ledger.decision;
            END IF;
            IF v_leg.amount + v_taken <> 0 THEN
                v_line := v_line + 1;
                IF v_left IS NOT NULL THEN
                    v_tried[v_leg.place] := v_left;
                END IF;
                v_entries := v_entries || ROW(
                    v_item, 'posted', NULL, NULL, v_line, v_leg.account_id, v_leg.amount + v_taken, v_left,
                    v_leg.kind, v_leg.queue_id, v_leg.session_id
                )::handfast_ledger.decision;
            END IF;
        END LOOP;
        IF v_made.verdict = 'posted' AND (v_sum <> 0 OR v_line < 2) THEN
            v_made.verdict := 'unbalanced';
        END IF;
        IF v_made.verdict = 'posted' THEN
            v_balances := v_tried;
            FOREACH v_made IN ARRAY v_entries LOOP
                RETURN NEXT v_made;
            END LOOP;
        ELSE
            RETURN NEXT v_made;
        END IF;
    END LOOP;
END
$$;
