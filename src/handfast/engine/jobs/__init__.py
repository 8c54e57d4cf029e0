"""Jobs: what a program declares of them, and how they come in.

states           the one table of moves
kinds            what a program declares: a handler, its payload, its policy
retry            failure classes and policies, as data
options          what holds for a job besides its identity, payload and due time
enqueue          jobs in, in the caller's transaction
pydantic_models  Pydantic models in payloads and results
faults           what went wrong, in words that can be stored
metrics          what the engine counts
durations        a histogram that is told of a thousand durations at once
"""
