-- Who of a line plays whom: the oldest with the next one, and so on. p_look: those who met since p_since
-- are kept apart if there is somebody else; the rest are paired all the same if p_whole, which says that
-- nobody else waits behind them.
CREATE OR REPLACE FUNCTION handfast_stakes.pair_line(
    p_line handfast_stakes.line_window, p_look boolean, p_whole boolean, p_since timestamptz
) RETURNS handfast_stakes.line_pairs
LANGUAGE plpgsql AS $$
DECLARE
    v_count  integer := cardinality(p_line.tickets);
    v_rivals text[] := '{}';
    v_mate   integer[] := array_fill(0, ARRAY[v_count]);
    v_made   handfast_stakes.made_pair[] := '{}';
    v_passed handfast_stakes.passed_ticket[] := '{}';
    v_last   bigint := 0;
BEGIN
    IF p_look THEN
        v_rivals := ARRAY(
            SELECT least(s.player1, s.player2) || '/' || greatest(s.player1, s.player2)
            FROM handfast_stakes.game_sessions AS s
            WHERE s.player1 = ANY (p_line.players) AND s.created_at > p_since
              AND s.player2 = ANY (p_line.players)
        );
    END IF;
    FOR v_round IN 1..2 LOOP
        EXIT WHEN v_round = 2 AND (cardinality(v_rivals) = 0 OR NOT p_whole AND cardinality(v_made) > 0);
        FOR i IN 1..v_count LOOP
            CONTINUE WHEN v_mate[i] <> 0;
            FOR j IN i + 1..v_count LOOP
                CONTINUE WHEN v_mate[j] <> 0 OR v_round = 1 AND cardinality(v_rivals) > 0
                    AND least(p_line.players[i], p_line.players[j]) || '/'
                        || greatest(p_line.players[i], p_line.players[j]) = ANY (v_rivals);
                v_mate[i] := j;
                v_mate[j] := i;
                v_last := greatest(v_last, p_line.lines[j]);
                v_made := v_made || ROW(
                    p_line.stake, p_line.tickets[i], p_line.tickets[j], p_line.players[i], p_line.players[j],
                    p_line.holds[i], p_line.holds[j]
                )::handfast_stakes.made_pair;
                EXIT;
            END LOOP;
        END LOOP;
    END LOOP;
    v_passed := ARRAY(
        SELECT ROW(p_line.stake, t.id, 'rematch')::handfast_stakes.passed_ticket
        FROM unnest(p_line.tickets, p_line.lines, v_mate) AS t(id, line, mate) WHERE t.mate = 0 AND t.line < v_last
        UNION ALL
        SELECT ROW(p_line.stake, t.id, 'locked')::handfast_stakes.passed_ticket
        FROM unnest(p_line.locked, p_line.locked_lines) AS t(id, line) WHERE t.line < v_last
        UNION ALL
        SELECT ROW(p_line.stake, t.id, 'refused')::handfast_stakes.passed_ticket
        FROM unnest(p_line.refused, p_line.refused_lines) AS t(id, line) WHERE t.line < v_last
    );
    RETURN ROW(v_made, v_passed)::handfast_stakes.line_pairs;
END
$$;
