"""Who plays whom.

pairing      rounds of pairing, and the log of them
matchmakers  who pairs, and how they are told
loop         the one who pairs and expires in a process
"""
