"""``handfast demo``: the guarantees, told with real jobs.

A program like any user's: it declares kinds on a ``Handfast`` object and enqueues jobs. Identities
make it safe to start again: a second run makes nothing twice, and reads the same facts.

    program    the kinds
    stage      what a scene stands on, and what it answers
    scenes     one fact each, and the number that proves it
    webhook    the same, with a receiver
    match_run  the same, with a corpus
    weekend    the same, with matches that are about to begin
    people     the same, with two who sign up
    morning    the same, with offers at 09:00, round the world
    stakes     the same, with money
    story      the scenes in order, and the workers under them
    victim     a worker process that exists to be killed
    traffic    what goes on after the story
"""
