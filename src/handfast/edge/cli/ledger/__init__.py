"""``handfast ledger``.

What is in here:

    ledger  check, verify, export, statements, the trial balance, deposits
"""
