"""What operators see and do.

jobs_view     lists and single jobs, workers; bounded reads
stats         how it is doing, at a cost that does not grow
operations    cancel, retry, revive, anchors
dead_letters  list, requeue, discard
audit         what operators have changed, in the transaction of the change
alerts        thresholds, raised once and cleared with hysteresis
prometheus    the metrics that are read from the database
"""
