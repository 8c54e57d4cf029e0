"""What is in the ledger, and whether it adds up.

balances  balances now and then, statements in pages, the trial balance
entries  a stake's money, entry by entry
checking  everything recomputed, a part at a time
history  all of it as a bank's, for Jepsen's checker
connections  the transfers of a job, by its name
"""
