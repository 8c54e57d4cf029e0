"""Why offers are as they are: for operators, in the command line and over HTTP.

replaying   a past round or set, computed again and compared
pairs       one pair: the rule that refused it, or the score and who had no place left
comparing   both selections on one snapshot
generating  sets made by hand, through the jobs that make them anyway
views       zones, rounds and a user's sets, as they are stored
"""
