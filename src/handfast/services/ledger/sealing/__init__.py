"""Hashes over what is written, so that a change of the past shows.

A seal covers a range of transactions, below the oldest that is running, and has the hash of the
seal before it in its own. A chain whose newest hash lies only beside its rows proves little:
whoever can change the rows can make it anew. Each head therefore goes out, as an event and as a log
line.

    stream     the bytes that are hashed, straight from the database
    seals      making the next seal
    verifying  recomputing all of them
    exporting  blocks in a file, for a verifier that shares no code with this one
"""
