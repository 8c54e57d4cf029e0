"""The floor: what everything else may use, and which uses nothing of ours.

Nothing in here knows of a database, a job or a request.
"""
