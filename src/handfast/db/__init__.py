"""PostgreSQL, and nothing but PostgreSQL: how we start it, reach it, shape it and talk to it.

Rules that the rest of the house relies on:

* The caller owns the transaction. Nothing here commits behind anyone's back, and only
  ``run_in_transaction`` ever runs a function twice.
* SQL lives in ``sql/``; Python names a statement and says what its rows look like.
* The database's clock decides.
"""
