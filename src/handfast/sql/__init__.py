"""All SQL, as files. Python names a statement and says what its rows look like.

migrations  tables and constraints, by number; never edited once applied
functions   ``<schema>/<part>/<name>.sql``: what must be atomic, one function each, replaced
queries     ``<schema>/<part>.sql``: named statements, bound by ``db/statements``
embedded    who works on the embedded server: its roles
snapshot    the schema after all migrations, written by ``./run snapshot``
"""
