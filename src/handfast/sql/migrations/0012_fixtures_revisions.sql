-- What a declaration, and a result, were before.

-- --- pipelines: which of two declarations is the newer -------------------------------------------

ALTER TABLE fixtures.pipelines ADD COLUMN revision integer NOT NULL DEFAULT 1,
    ADD CONSTRAINT pipeline_revision CHECK (revision >= 1);

COMMENT ON COLUMN fixtures.pipelines.revision IS
    'a declaration with a lower one, of a process that is older, changes nothing';

-- --- results: what was known before a change -------------------------------------------------------

ALTER TABLE fixtures.result_changes ADD COLUMN old_status fixtures.status,
    ADD COLUMN old_result_at timestamptz;

COMMENT ON COLUMN fixtures.result_changes.old_status IS 'null: finished, as far as anybody knows';
COMMENT ON COLUMN fixtures.result_changes.old_result_at IS
    'null: written before anybody kept it; then as the fixture has it';

-- --- decisions: of fixtures that there are --------------------------------------------------------

ALTER TABLE fixtures.decisions
    ADD CONSTRAINT decision_fixture FOREIGN KEY (fixture_id) REFERENCES fixtures.fixtures (id);

-- --- skips: with a prerequisite, or by themselves --------------------------------------------------

-- From now on engine.stop_dependant writes it; until now only the words of the reason said so.
UPDATE engine.attempts AS a
SET error_class = CASE WHEN a.error ~ ' is dead$' THEN 'prerequisite_dead'
                       ELSE 'prerequisite_withdrawn' END
FROM engine.jobs AS j
WHERE j.state = 'skipped' AND a.job_id = j.id AND a.finished_at = j.finished_at
  AND a.token = j.token AND a.outcome = 'skipped' AND a.error LIKE 'prerequisite % is %';
