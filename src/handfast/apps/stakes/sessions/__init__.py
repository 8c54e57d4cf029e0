"""Games between two matched tickets.

games       looking at one, and its moves
results     who won: the pot is paid out, once
disputes    what a person decides
voiding     nobody reported: everybody's own becomes credit
ending      what every end has in common
moving      their money, and that of tickets which end without a game
"""
