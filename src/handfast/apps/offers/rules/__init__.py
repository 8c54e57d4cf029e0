"""What is decided, and nothing that is stored: values in, decisions out.

due          when a set is due in a zone, until when the day lasts, when offers expire
person       one person of a snapshot, and the questions that were answered
eligibility  who may be offered to whom, with the reason of each refusal
chords       kilometres as squared chords, in integers
score        the score v1, in exact integers
confidence   few shared answers lower a score: the table L
actions      what users do with an offer: the moves between its states
"""
