"""Personal data: a copy of it for whom it is about, and its end.

own_data  what we keep about one user
exports   a copy is asked for, and fetched
copying   the job that makes the copy, and the chore that removes it
erasure   everything about a user goes
"""
