"""What is in the ledger, and whether it adds up.

balances  balances now and then, statements in pages, the trial balance
checking  everything recomputed, a part at a time
connections  the transfers of a job, by its name
"""
