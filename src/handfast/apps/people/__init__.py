"""People: who they are, what they look for, and what of them others may see.

profiles       names, places, ages, and the row that holds them
questions      what is asked, and what was answered
photos         pictures: checked, made anew, kept in a store
verification   proof that a person is who the profile says
personal_data  a copy of it, and its end
blocks         who wants to see nothing of whom
views          users as operators find them
generator      people who do not exist, for demos, tests and benches
following      what happens here when an account is suspended, deleted or comes back
people         what the routes share: the photo store, the helper for pictures, the verifier
plugins        parts of somebody else's that the settings name
work           the jobs and chores
settings       settings of people
errors         errors of people
capability     people as a capability
"""
