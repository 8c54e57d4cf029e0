"""Match runs: which investors suit this startup, answered from a corpus that no run ever writes.

A run is a job of the engine; the SQL functions in ``sql/functions/runs`` are facades over it, so
that any PostgreSQL client can start, work and read runs. The corpus has versions, each whole; a run
names the version that it answers from.
"""
