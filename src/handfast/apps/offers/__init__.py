"""Daily offers: who is shown to whom, chosen for both sides, the same bytes every time.

rules       what is decided, without a database: due instants, eligibility, score, actions
rounds      all eligible pairs of a snapshot, scored, and which of them are chosen
daily       sets of offers, from the plan of a date to what is shown at 09:00
explaining  why offers are as they are: replay, explain, compare, figures
users       what users see and do: offers, actions, matches
metrics     what is counted
work        the jobs, and the look at the clock
settings    settings of offers
errors      errors of offers
capability  offers as a capability
"""
