-- When to try again after this failure, by the kind's policy, or null for never.
--
-- policy: {"transient": {"retries": 3, "waits": [30, 120, 300], "within": 600,
--          "offsets": false}, "logic": {"retries": 0}}
-- Without waits: min(1 s * 2^n + a random second, 30 s). With offsets, the waits count from the
-- first due time, not from the failure; with from_start, from the first start. Then a retry whose
-- time has passed meanwhile (a slow answer, a night without workers) does not hurry: it keeps its
-- distance from the one before, and those after it are back on their times. With jitter, a retry
-- comes earlier by up to that part of its distance: earlier, so that it is never past the end.
-- A policy stops at its count or its time (which counts from the first start: a job that had to
-- wait for a worker has lost none of it, nor one whose worker fell silent: handfast_engine.fail),
-- whichever is first.
CREATE OR REPLACE FUNCTION handfast_engine.retry_at(
    p_policy jsonb, p_class text, p_failures integer, p_first_due timestamptz,
    p_first_start timestamptz, p_now timestamptz
) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
    v_rule  jsonb := coalesce(
        p_policy -> (CASE WHEN p_class IN ('logic', 'data', 'payload') THEN 'logic'
                          ELSE 'transient' END),
        CASE WHEN p_class IN ('logic', 'data', 'payload') THEN '{"retries": 0}'::jsonb
             ELSE '{"retries": 3, "waits": [30, 120, 300]}'::jsonb END
    );
    v_waits jsonb := coalesce(v_rule -> 'waits', '[]');
    v_place integer := least(p_failures, jsonb_array_length(v_waits)) - 1;
    v_wait  double precision;
    v_gap   double precision;
    v_at    timestamptz;
BEGIN
    IF p_failures > (v_rule ->> 'retries')::integer THEN
        RETURN NULL;
    END IF;
    IF v_place >= 0 THEN
        v_wait := v_waits ->> v_place;
    ELSE
        v_wait := least(2 ^ least(p_failures - 1, 10) + random(), 30);
    END IF;
    v_gap := v_wait;
    IF (v_rule ->> 'from_start')::boolean THEN
        IF v_place > 0 THEN
            v_gap := v_wait - (v_waits ->> v_place - 1)::double precision;
        END IF;
        v_at := p_first_start + make_interval(secs => v_wait);
        IF v_at <= p_now THEN
            v_at := p_now + make_interval(secs => v_gap);
        END IF;
    ELSIF (v_rule ->> 'offsets')::boolean THEN
        v_at := p_first_due + make_interval(secs => v_wait);
    ELSE
        v_at := p_now + make_interval(secs => v_wait);
    END IF;
    IF v_rule ? 'jitter' THEN
        v_at := v_at
            - make_interval(secs => random() * (v_rule ->> 'jitter')::double precision * v_gap);
    END IF;
    v_at := greatest(v_at, p_now);
    IF v_rule ? 'within'
       AND v_at > p_first_start + make_interval(secs => (v_rule ->> 'within')::double precision) THEN
        RETURN NULL;
    END IF;
    RETURN v_at;
END
$$;
