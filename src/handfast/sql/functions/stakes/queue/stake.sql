-- Players stake, many in one statement, each wholly or not at all: the money goes to escrow, the fee to
-- revenue, and there is a ticket at the end of the line. What is wrong with one (an open ticket, missing
-- funds, another currency) fails that one only. A player stands in the list once.
--
-- Locks: players by id, so that of two stakes of one player the second sees the first's ticket; then what
-- handfast_ledger.post locks; then what emit_many does. Players are read again after the lock.
CREATE OR REPLACE FUNCTION handfast_stakes.stake(
    p_players uuid[], p_amounts bigint[], p_fee bigint, p_currency text, p_expiry interval,
    p_clearing interval
) RETURNS TABLE (
    item integer, verdict text, ticket_id bigint, transfer_id bigint, hold_id bigint, created_at timestamptz,
    expires_at timestamptz, available bigint
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_count   integer := cardinality(p_players);
    v_known   integer;
    v_open    bigint[];
    v_ids     bigint[];
    v_asked   integer[];
    v_items   jsonb;
    v_posted  handfast_stakes.posted_stake[];
BEGIN
    PERFORM 1 FROM handfast_stakes.players AS p WHERE p.id = ANY (p_players) ORDER BY p.id FOR NO KEY UPDATE;
    GET DIAGNOSTICS v_known = ROW_COUNT;
    IF v_known < v_count THEN
        INSERT INTO handfast_stakes.players (id, created_at)
        SELECT n.id, v_now FROM unnest(p_players) AS n(id) ORDER BY n.id ON CONFLICT DO NOTHING;
        PERFORM 1 FROM handfast_stakes.players AS p
        WHERE p.id = ANY (p_players) ORDER BY p.id FOR NO KEY UPDATE;
    END IF;

    -- A subquery, not a join: a plan that was made while few had staked would read all that are live.
    SELECT array_agg(n.open ORDER BY n.item),
           array_agg(CASE WHEN n.open IS NULL
                          THEN nextval('handfast_stakes.matchmaking_queue_id_seq') END ORDER BY n.item),
           array_agg(n.item::integer ORDER BY n.item) FILTER (WHERE n.open IS NULL)
    INTO v_open, v_ids, v_asked
    FROM (
        SELECT n.item, (SELECT q.id FROM handfast_stakes.matchmaking_queue AS q
                        WHERE q.player_id = n.player AND q.ended_at IS NULL) AS open
        FROM unnest(p_players) WITH ORDINALITY AS n(player, item)
        OFFSET 0  -- the subquery is asked once for each
    ) AS n;

    IF v_asked IS NOT NULL THEN
        SELECT jsonb_agg(jsonb_build_object(
            'reference', 'stake:' || v_ids[a.item], 'kind', 'STAKE', 'currency', p_currency,
            'queue_id', v_ids[a.item], 'session_id', NULL,
            'legs', handfast_stakes.stake_legs(p_players[a.item]::text, p_amounts[a.item], p_fee),
            'hold', jsonb_build_object('deadline', v_now + p_expiry + p_clearing, 'expires_at', NULL)
        ) ORDER BY a.place)
        INTO v_items FROM unnest(v_asked) WITH ORDINALITY AS a(item, place);
        SELECT array_agg(ROW(v_asked[p.item], p.verdict, p.transfer_id, p.hold_id, p.available)
                         ::handfast_stakes.posted_stake ORDER BY p.item)
        INTO v_posted FROM handfast_ledger.post(v_items) AS p;
        INSERT INTO handfast_stakes.matchmaking_queue (
            id, player_id, stake_amount, fee, currency, transfer_id, hold_id, line, created_at, queued_at,
            expires_at
        )
        SELECT v_ids[p.item], p_players[p.item], p_amounts[p.item], p_fee, p_currency, p.transfer_id, p.hold_id,
               nextval('handfast_stakes.lines'), v_now, v_now, v_now + p_expiry
        FROM unnest(v_posted) AS p WHERE p.verdict = 'posted';
        IF FOUND THEN
            PERFORM handfast_stakes.tell_queued(
                v_posted, v_ids, p_players, p_amounts, v_now + p_expiry
            );
            PERFORM handfast_engine.wake_for('stakes');
        END IF;
    END IF;

    RETURN QUERY
    SELECT n.item, CASE WHEN v_open[n.item] IS NOT NULL THEN 'ticket_open'
                        WHEN p.verdict = 'posted' THEN 'queued' ELSE p.verdict END,
           coalesce(v_open[n.item], v_ids[n.item]), p.transfer_id, p.hold_id, v_now, v_now + p_expiry, p.available
    FROM generate_series(1, v_count) AS n(item)
    LEFT JOIN unnest(v_posted) AS p ON p.item = n.item
    ORDER BY n.item;
END
$$;
