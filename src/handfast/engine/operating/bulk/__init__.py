"""One action on all that match a filter, as a durable job.

It is counted first (up to a bound), given a reason, and can be undone until it begins, half a
minute later. Then it goes page by page, each a transaction of its own that moves the place where
it is: who is killed in the middle goes on there, and nothing is done twice.

request   what may be asked for: actions, filters, what fits what
scans     finding what matches, a bounded number of rows at a time
records   asked for, undone, listed: the rows, and the state that follows from the job
work      carrying it out: the kind, its pages, the crew
"""
