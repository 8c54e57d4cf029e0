"""Gaps: what ought to exist and does not.

A capability declares an expectation: its own query, which answers the identities that a window of
time calls for, and whether the result of each is there. What is missing is computed by one join in
the database and repaired by statements over the whole set, so that two hundred thousand
expectations cost a hash join and not two hundred thousand questions.

    missing         no job and no result: enqueued
    result_missing  the job succeeded, its result is not there: revived under the same identity
    stale           the result was made for another time of its anchor: revived
    dead_transient  died of something that may have passed: requeued, once
    dead            listed for a person

    expectation     what is declared, and its query checked
    listing         what is missing
    mapping         expected against actual over time
    repair          what a repair does about it
"""
