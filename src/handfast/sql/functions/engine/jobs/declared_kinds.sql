-- What is declared of kinds, for other schemas (see handfast_engine.known_jobs).
CREATE OR REPLACE VIEW handfast_engine.declared_kinds AS
SELECT k.kind, k.lane, k.priority, k.version, k.on_prerequisite_death FROM handfast_engine.kinds AS k;

COMMENT ON VIEW handfast_engine.declared_kinds IS 'what programs have declared, for other schemas';
