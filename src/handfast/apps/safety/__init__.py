"""Safety: reports, what operators decide about them, and appeals.

rules       what is decided without a database: severity, and when to expect an answer
reports     somebody reports somebody, with evidence
decisions   what an operator decides about a report; each decision is an enforcement action
appeals     what the other side says against it, and what comes of that
views       the queue, and a report with what happened before
following   what happens here when an account is suspended or erased
forgetting  what somebody wrote goes with their account
watching    how many reports wait, and for how long
metrics     what is counted
settings    settings of safety
errors      errors of safety
capability  safety as a capability
"""
