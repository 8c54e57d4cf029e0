"""A round: all eligible pairs of a snapshot, scored, and those that are chosen. No database.

pool        the people of a snapshot as arrays
products    products of integer matrices, exact on every machine
kernel      the score v1 of many pairs at once
pairs       every eligible pair at or above the minimum, block by block
picks       what a round has chosen, and why
selections  which pairs are offered: mutual and top
registry    scores and selections by name
"""
