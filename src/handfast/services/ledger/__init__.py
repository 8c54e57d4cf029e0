"""Money: accounts, transfers that balance, holds that are resolved once, and seals over all of it.

What the database guarantees is in ``sql/migrations/ledger`` and ``sql/functions/ledger``: every
transfer sums to zero, nothing is changed or removed, no wallet is negative, a business event moves
money once however often it is told. Here is what a program holds.

    values        accounts, legs, transfers and what becomes of them
    rules         which legs a business event has; pure
    posting       transfers and holds, in the caller's transaction or through the gate
    reading       balances, statements, the trial balance, and the check of everything
    sealing       hashes over what is written: made, recomputed, exported
    jobs          sealing, expiry and the hourly check, as jobs of the engine
    expectations  holds past their deadline are gaps
    metrics       what is counted
    facade        what a program holds
    errors        errors of the ledger
    settings      settings of the ledger
    capability    the ledger as a capability
"""
