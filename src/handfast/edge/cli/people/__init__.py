"""``handfast people``.

What is in here:

    people     list, show, suspend, reinstate, generate, export
    printing   users, for people to read
"""
