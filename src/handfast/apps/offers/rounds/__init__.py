"""A round: all eligible pairs of a snapshot, scored, and those that are chosen. No database.

pool        the people of a snapshot as arrays
regions     who can meet whom at all: regions, and the chunks that are compared
arithmetic  scores of many pairs and the best of each person, in exact integers
market      one region as a selection sees it
greedy      pairs in one total order, each taken if both have a free place
selections  which pairs are offered: mutual and top
one_sided   what only one of two is shown: returns, fills, reserves
picks       what was chosen, as arrays
figures     what a round came to
registry    scores and selections by name
shards      a part of a round: bytes in, bytes out, in threads or processes
making      a round from a snapshot, out of its shards
"""
