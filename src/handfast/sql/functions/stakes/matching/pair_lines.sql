-- Pairs who waits, in every line (of one stake and one currency) or in those of p_stakes, the oldest first: at
-- most p_pairs in each, in one transaction. Answers how many pairs, whether a line may have more, and the
-- tickets that were paired.
--
-- Tickets that somebody else holds (a change, a cancellation, another matchmaker) are skipped; so are two
-- who met within p_rematch, while one of them can be paired with somebody else; so is one whose hold is not
-- as it must be. Each older ticket that is passed by is in the log with the reason. Claim, session, pot and
-- events commit together: there is
-- no ticket that is claimed and not matched.
--
-- Locks: tickets (skipping), then holds by id, then what emit_many does.
CREATE OR REPLACE FUNCTION handfast_stakes.pair_lines(
    p_worker text, p_stakes bigint[], p_pairs integer, p_rematch interval, p_session interval,
    p_clearing interval
) RETURNS TABLE (pairs integer, more boolean, tickets bigint[])
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_stake   bigint := 0;
    v_currency text COLLATE "C" := '';
    v_line    handfast_stakes.line_window;
    v_made    handfast_stakes.made_pair[] := '{}';
    v_passed  handfast_stakes.passed_ticket[] := '{}';
    v_refused handfast_stakes.passed_ticket[] := '{}';
    v_found   handfast_stakes.line_pairs;
BEGIN
    more := false;
    LOOP
        SELECT q.stake_amount, q.currency INTO v_stake, v_currency FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'queued' AND (q.stake_amount, q.currency) > (v_stake, v_currency)
        ORDER BY q.stake_amount, q.currency, q.line LIMIT 1;
        EXIT WHEN NOT FOUND;
        CONTINUE WHEN v_stake <> ALL (p_stakes);
        SELECT w.* INTO v_line FROM handfast_stakes.take_tickets(v_stake, v_currency, 2 * p_pairs, v_now) AS w;
        IF v_line.refused IS NOT NULL THEN
            v_refused := v_refused || ARRAY(
                SELECT ROW(v_stake, r.id, 'refused')::handfast_stakes.passed_ticket
                FROM unnest(v_line.refused) AS r(id)
            );
        END IF;
        CONTINUE WHEN coalesce(cardinality(v_line.tickets), 0) < 2;
        SELECT f.* INTO v_found FROM handfast_stakes.pair_line(
            v_line, p_rematch > interval '0' AND cardinality(v_line.tickets) > 2,
            cardinality(v_line.tickets) < 2 * p_pairs, v_now - p_rematch
        ) AS f;
        v_made := v_made || v_found.made;
        v_passed := v_passed || v_found.passed;
        more := more OR cardinality(v_line.tickets) = 2 * p_pairs;
    END LOOP;
    pairs := cardinality(v_made);
    tickets := ARRAY(SELECT unnest(ARRAY[m.ticket1, m.ticket2]) FROM unnest(v_made) AS m);
    IF pairs > 0 THEN
        PERFORM handfast_stakes.write_pairs(v_made, p_worker, v_now, p_session, p_clearing);
        INSERT INTO handfast_stakes.claims (at, worker, stake, tickets, outcome, reason)
        SELECT v_now, p_worker, p.stake, ARRAY[p.ticket], 'passed', p.reason FROM unnest(v_passed) AS p;
    END IF;
    IF cardinality(v_refused) > 0 THEN  -- once an hour, whether or not somebody was paired
        INSERT INTO handfast_stakes.claims (at, worker, stake, tickets, outcome, reason)
        SELECT v_now, p_worker, r.stake, ARRAY[r.ticket], 'passed', r.reason FROM unnest(v_refused) AS r
        WHERE NOT EXISTS (
            SELECT 1 FROM handfast_stakes.claims AS c
            WHERE c.at > v_now - interval '1 hour' AND c.tickets = ARRAY[r.ticket] AND c.reason = r.reason
        );
    END IF;
    RETURN NEXT;
END
$$;
