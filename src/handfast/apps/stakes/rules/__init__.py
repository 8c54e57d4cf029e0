"""What follows from what. Pure.

money    which transfers a result, a return or a correction is
waits    how long somebody will wait, from how long others did
why      why nobody was found yet
"""
