"""Tickets: one player's place in the line of one stake.

staking     into the queue, alone or combined with others
tickets     looking at one
leaving     cancelled, or past its end: the stake becomes credit
changing    another stake, at the end of its line
standing    where somebody stands, how long it will take, and why nobody was found yet
"""
