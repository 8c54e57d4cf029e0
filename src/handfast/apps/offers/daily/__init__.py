"""Sets of offers, from the plan of a date to what is shown at 09:00.

apart         who must be kept apart in a round, as numbers
planning      one plan for each date: pinned, then chosen
picked        what a round has chosen, in the database
fan_out       a zone's users, each with a job for the set of their day
latecomers    who was not in the plan: one-sided offers from its snapshot
publishing    sets, in batches that end with their offers and events
looking       what the clock brings, looked at once a minute
ids           ids that follow from what they name
expectations  a set that is missing is a gap
"""
