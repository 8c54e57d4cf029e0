-- Everything that the top 200 of a startup need, in their order. Readers are not held up while it is
-- built: nobody writes to a version that is whole.
CREATE INDEX startup_investor_matches_best ON runs.startup_investor_matches
    (version, startup_id, score DESC, deals DESC, investor_id)
    INCLUDE (sector, stage, geography, cheque, thesis, activity);

-- The functions of the SQL interface get the argument names that clients call them by
-- (start_match_run(url => …), PostgREST). CREATE OR REPLACE cannot rename an argument, so the old ones
-- go here and are made again with the functions, a moment later, with their rights (after_migrate).
--
-- Types and their order stay, so a process of the version before goes on calling them by place. What
-- it asks in the moment between is refused: a worker's run is tried again, as after any failure.
-- Nothing here is in between for long: keep this the last migration of its release.
DROP FUNCTION IF EXISTS
    runs.start_match_run(text, boolean),
    runs.get_match_run(uuid, integer),
    runs.get_match_run_debug(uuid),
    runs.claim_next_match_run(text, integer),
    runs.complete_match_run(uuid, text, bigint, runs.match_run_status, integer, text, text),
    runs.extend_match_run(uuid, text, bigint, integer),
    runs.canonicalize_url(text),
    runs.resolve_startup_by_url(text, integer),
    runs.count_matches(text, integer),
    runs.get_top_matches(text, integer, integer, integer, text);

DROP INDEX runs.runs_ready_by_url, runs.startup_investor_matches_top;  -- what replaces them is there
