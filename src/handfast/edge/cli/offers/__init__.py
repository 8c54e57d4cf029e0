"""``handfast offers``.

What is in here:

    offers    generate, replay, explain, compare, stats
    printing  what they answer, for people
"""
