"""Profiles: what a user says of themselves.

text         names and other texts, in one spelling and without tricks
age          how old somebody is, and who is old enough
places       a latitude and a longitude become a point in integers
profile      the user as the API shows it, and what may be changed
changing     the changes, as one statement
preferences  named settings of a user
"""
