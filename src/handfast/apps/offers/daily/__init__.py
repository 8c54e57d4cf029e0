"""Sets of offers, from the plan of a date to what is shown at 09:00.

planning      one plan for each date: pinned, then chosen
publishing    sets, in batches that end with their offers and events
ticking       what is due now, in every zone
ids           ids that follow from what they name
expectations  a set that is missing is a gap
"""
