"""Scores of many pairs and the best of each person, in exact integers.

products  products of integer matrices, exact on every machine
kernel    the score v1 of many pairs at once
best      each person.s best candidates, block by block, by numpy or by numba
themes    why people fit, of many pairs at once
compiled  the loops that numba compiles, if it is installed
"""
