"""How well a startup and an investor fit, and the best investors of each startup.

words     texts and names as numbers
regions   which countries are near each other
profiles  startups and investors as scoring sees them
weights   how much each signal counts
scoring   how well two of them fit: six signals, one score
ranking   the best investors of each startup, all pairs scored in blocks
rescore   all pairs of a version scored, while those before are being copied
"""
