"""What operators do with the engine.

What is in here:

    jobs        ``handfast jobs``: look at jobs, run one now or again, cancel one
    dead        ``handfast dead``: dead letters
    schedules   ``handfast schedules``: what recurs, when next, and holding it
    bulk        ``handfast bulk``: one action on all that match
    figures     ``handfast figures``: what was done over time
    pauses      ``handfast pauses``: hold lanes, kinds and schedules, and let them go on
    gaps        ``handfast gaps``: what a program expects and does not find
    audit       ``handfast audit``: what operators have changed
"""
