"""What users see and do.

reading    what a user is offered now, or why nothing is
acting     what users do with an offer, and the match that may come of it
matches    matches: listed, shown, closed
cards      a person as others see them
following  what happens here when two are parted or an account goes
"""
