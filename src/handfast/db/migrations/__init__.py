"""Bringing a database to the schema that this code needs: all of it, or what is switched on.

What is in here:

    files        the migrations and functions that are shipped, schema by schema
    record       what a database says has been applied, and when that is refused
    lock         one process at a time, and what PostgreSQL says about a file in our words
    functions    installing the functions and views that changed
    collisions   whose names they are, before anything is made
    search_path  logins that would find our names before their own
    versions     which of two versions of Handfast is the newer
    migrate      what everybody calls: migrate, status, require_migrated
    errors       errors of code and schema that do not fit
"""
