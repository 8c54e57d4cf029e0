"""What operators see and do.

jobs_view     lists and single jobs, workers; bounded reads
why           why a job does not run: a rule, and the one look that it needs
identity_view  one identity, one answer: the job, its events, what it is to the capabilities
stats         how it is doing, at a cost that does not grow
figures       throughput, failures, durations and ticks over time
pauses        lanes, kinds and schedules that are held, with who and why
operations    cancel, retry, revive, anchors
bulk          one action on all that match, as a durable job
dead_letters  list, requeue, discard
audit         what operators have changed, in the transaction of the change
sessions      browsers of operators and viewers that need hold no token
alerts        thresholds, raised once and cleared with hysteresis
prometheus    the metrics that are read from the database
"""
