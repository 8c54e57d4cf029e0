"""From an event to its delivery.

What is in here:

    relay              from the engine's outbox to deliveries
    deliverer          the worker that signs and posts
    verdict            what an answer, or the lack of one, means
    attempt_recorder   outcomes, written with the jobs that they end
    attempt_log        the log of attempts, as people read it
    replays            sending again, because somebody asks
"""
