"""People who do not exist, as many as you like, always the same for a seed.

cities       where they live
first_names  what they are called, and what they say of themselves
people       one person after the other, each with answers that hang together
loading      many of them into the database, by COPY
"""
