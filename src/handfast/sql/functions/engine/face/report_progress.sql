-- How far a running attempt is, from 0 to 1. False: it was not the caller's any more.
CREATE OR REPLACE FUNCTION handfast.report_progress(
    id       bigint,
    token    bigint,
    fraction double precision,
    message  text DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.report_progress(
        report_progress.id, report_progress.token, report_progress.fraction::real,
        report_progress.message
    );
END
$$;
