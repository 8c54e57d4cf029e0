"""Who plays whom.

pairing      rounds of pairing, and the log of them
matchmakers  who is there to pair
loop         the one who pairs and expires in a process
"""
