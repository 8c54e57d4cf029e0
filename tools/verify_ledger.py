#!/usr/bin/env python3
"""Verifies an export of a Handfast ledger (`handfast ledger export FILE`).

Needs Python 3.11 or newer and nothing else: it shares no code with Handfast, so that a fault there
cannot hide itself here. The file is read once, block by block.

    python verify_ledger.py FILE [--head NUMBER:HASH ...] [--json]

What is recomputed:

- the hash of every sealed block from its rows and the hash before it, and that blocks follow each
  other without a hole;
- that rows are in order and within their block, and no transfer is cut at its edge;
- that every transfer sums to zero, in one currency, between accounts that were opened;
- that every player's last balance is the sum of all entries, and none was ever negative.

A chain proves only that its rows were not changed since its newest hash left the house: give the
heads that you have kept elsewhere (events `ledger.sealed`, log lines) with --head.

Leaves with 0 if all is well, with 1 if anything is wrong.
"""

import argparse
import hashlib
import json
import struct
import sys
import time

MAGIC = b"HANDFAST LEDGER 1\n"
HEADER_BYTES_MAX = 10_000
PROBLEMS_MAX = 100  # beyond that there is nothing more to learn
ACCOUNT_FIELDS = 7
ENTRY_FIELDS = 13
NULL = -1
PLAYERS = (b"wallet", b"credit")

# The fields before the first text: count, then each length and value.
ENTRY_START = struct.Struct(">hihiqiqiqi")  # epoch, transaction, transfer, instant, length of kind
ACCOUNT_START = struct.Struct(">hihiqiqi")  # epoch, transaction, id, length of kind
LENGTH = struct.Struct(">i")
LEG = struct.Struct(">ihiqiqi")  # line, account, amount, length of balance
NUMBER = struct.Struct(">q")


class Damaged(Exception):
    """The file cannot be read any further."""


class Account:
    __slots__ = ("balance", "currency", "newest", "of_player", "total")

    def __init__(self, currency, of_player):
        self.currency = currency
        self.of_player = of_player
        self.total = 0
        self.newest = (-1, -1)
        self.balance = 0


class Transfer:
    """The one whose rows are being read."""

    __slots__ = ("currency", "id", "legs", "total")

    def __init__(self, number):
        self.id = number
        self.total = 0
        self.legs = 0
        self.currency = None


class Verifier:
    def __init__(self, heads):
        self.heads = dict(heads)
        self.problems = []
        self.accounts = {}
        self.blocks = 0
        self.entries = 0
        self.unsealed = 0
        self.head = None
        self._previous = bytes(32)
        self._range = (0, 0)  # epoch and transaction at which the last block ended

    def problem(self, text):
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(text)

    # --- the file ---------------------------------------------------------------------------------

    def read(self, file):
        if file.read(len(MAGIC)) != MAGIC:
            raise Damaged("this is no export of a ledger")
        ended = False
        while line := file.readline(HEADER_BYTES_MAX):
            if ended:
                raise Damaged("there is something behind the last block")
            header = header_of(line)
            accounts = exactly(file, header["accounts"])
            entries = exactly(file, header["entries"])
            ended = header["number"] == 0
            if ended:
                self.rows("what is not sealed", accounts, entries, None)
            else:
                self.block(header, accounts, entries)
        if not ended:
            raise Damaged("the end of the file is missing")
        self.finish()

    def block(self, header, accounts, entries):
        number, name = header["number"], f"seal {header['number']}"
        if number != self.blocks + 1:
            self.problem(f"{name}: it comes after {self.blocks}")
        self.blocks = number
        if bytes.fromhex(header["previous"]) != self._previous:
            self.problem(f"{name}: the hash before is another one")
        begins = (header["epoch"], header["since"])
        epoch, until = self._range
        if begins != self._range and not (begins[0] > epoch and begins[1] == 0):
            self.problem(f"{name}: it does not begin where the one before ends, {epoch}/{until}")
        self._range = (header["epoch"], header["until"])
        digest = hashlib.sha256(bytes.fromhex(header["previous"]) + number.to_bytes(8, "big"))
        digest.update(accounts)
        digest.update(entries)
        if digest.hexdigest() != header["hash"]:
            self.problem(f"{name}: the rows are not those that were sealed")
        if number in self.heads and self.heads.pop(number) != header["hash"]:
            self.problem(f"{name}: its hash is not the one that was kept elsewhere")
        self._previous = bytes.fromhex(header["hash"])
        self.head = f"{number}:{header['hash']}"
        self.rows(name, accounts, entries, (header["epoch"], header["since"], header["until"]))

    def finish(self):
        for number in sorted(self.heads):
            self.problem(f"seal {number}: a head was kept elsewhere, and there is no such seal")
        for number, account in self.accounts.items():
            if account.of_player and account.total != account.balance:
                self.problem(
                    f"account {number}: its entries sum to {account.total}, and its last balance "
                    f"is {account.balance}"
                )

    # --- the rows ---------------------------------------------------------------------------------

    def rows(self, name, accounts, entries, bounds):
        try:
            self.open_accounts(name, accounts, bounds)
            count = self.read_entries(name, entries, bounds)
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise Damaged(f"{name}: the rows cannot be read: {error}") from error
        self.entries += count
        if bounds is None:
            self.unsealed += count

    def open_accounts(self, name, data, bounds):
        at, end, before = 0, len(data), (-1, -1, -1)
        while at < end:
            fields, _, epoch, _, xid, _, number, length = ACCOUNT_START.unpack_from(data, at)
            if fields != ACCOUNT_FIELDS:
                raise Damaged(f"{name}: a row of {fields} fields where accounts were expected")
            at += ACCOUNT_START.size
            kind = data[at : at + length]
            at += length
            _, at = text(data, at)
            currency, at = text(data, at)
            _, at = text(data, at)
            before = self.in_order(name, before, (epoch, xid, number), bounds)
            if number in self.accounts:
                self.problem(f"{name}: account {number} is opened twice")
            self.accounts[number] = Account(currency, kind in PLAYERS)

    def read_entries(self, name, data, bounds):
        at, end, before = 0, len(data), (-1, -1, -1)
        count, transfer = 0, None
        start, leg, length_at, number_at = (
            ENTRY_START.unpack_from,
            LEG.unpack_from,
            LENGTH.unpack_from,
            NUMBER.unpack_from,
        )
        while at < end:
            fields, _, epoch, _, xid, _, number, _, _, size = start(data, at)
            if fields != ENTRY_FIELDS:
                raise Damaged(f"{name}: a row of {fields} fields where entries were expected")
            at += ENTRY_START.size + size
            at += 4 + length_at(data, at)[0]  # the reference
            if transfer is None or transfer.id != number:
                self.end_transfer(name, transfer)
                transfer = Transfer(number)
                before = self.in_order(name, before, (epoch, xid, number), bounds)
            if length_at(data, at)[0] == NULL:
                self.problem(f"{name}: transfer {number} has no entries")
                transfer = None
                at += 7 * 4
                continue
            count += 1
            _, line, _, account_id, _, amount, size = leg(data, at)
            at += LEG.size
            balance = None
            if size != NULL:
                balance = number_at(data, at)[0]
                at += 8
            for _ in range(3):  # kind of the entry, queue id, session id
                size = length_at(data, at)[0]
                at += 4 if size == NULL else 4 + size
            if line != transfer.legs + 1:
                self.problem(f"{name}: transfer {number} has an entry {line} out of its order")
            self.post(name, transfer, line, account_id, amount, balance)
        self.end_transfer(name, transfer)
        if at != end:
            raise Damaged(f"{name}: the last row is cut")
        return count

    def post(self, name, transfer, line, account_id, amount, balance):
        transfer.total += amount
        transfer.legs += 1
        account = self.accounts.get(account_id)
        if account is None:
            self.problem(f"{name}: transfer {transfer.id} is of account {account_id}, of none")
            return
        if transfer.currency is None:
            transfer.currency = account.currency
        elif transfer.currency != account.currency:
            self.problem(f"{name}: transfer {transfer.id} is of two currencies")
        account.total += amount
        if account.of_player:
            if balance is None or balance < 0:
                self.problem(f"{name}: account {account_id} has the balance {balance}")
            elif (transfer.id, line) > account.newest:
                account.newest = (transfer.id, line)
                account.balance = balance

    def end_transfer(self, name, transfer):
        if transfer is not None and (transfer.total != 0 or transfer.legs < 2):
            self.problem(
                f"{name}: transfer {transfer.id} has {transfer.legs} entries that sum to "
                f"{transfer.total}"
            )

    def in_order(self, name, before, place, bounds):
        if place <= before:
            self.problem(f"{name}: {place[2]} is not in order, or is there twice")
        if bounds is not None:
            epoch, since, until = bounds
            if place[0] != epoch or not since <= place[1] < until:
                self.problem(f"{name}: {place[2]} is not of this block")
        elif place[:2] < self._range:
            self.problem(f"{name}: {place[2]} belongs into a block that is sealed")
        return place


def header_of(line):
    try:
        header = json.loads(line)
        numbers = [header["number"], header["accounts"], header["entries"]]
        if header["number"]:
            numbers += [header["epoch"], header["since"], header["until"]]
            if any(len(bytes.fromhex(header[name])) != 32 for name in ("hash", "previous")):
                raise ValueError("a hash has 32 bytes")
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"the head of a block cannot be read: {error}") from error
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise Damaged("the head of a block cannot be read")
    return header


def exactly(file, size):
    data = file.read(size)
    if len(data) != size:
        raise Damaged("the file is cut")
    return data


def text(data, at):
    """A field that nobody computes with: its bytes, None for null, and where the next begins."""
    size = LENGTH.unpack_from(data, at)[0]
    at += 4
    if size == NULL:
        return None, at
    if at + size > len(data):
        raise Damaged("a field is cut")
    return data[at : at + size], at + size


def head(text):
    number, _, digest = text.partition(":")
    if len(bytes.fromhex(digest)) != 32:
        raise ValueError("a head is NUMBER:HASH")
    return int(number), digest.lower()


def main():
    parser = argparse.ArgumentParser(description="Verify an export of a Handfast ledger.")
    parser.add_argument("file")
    parser.add_argument("--head", type=head, action="append", default=[], metavar="NUMBER:HASH")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args()
    verifier, began = Verifier(given.head), time.perf_counter()
    try:
        with open(given.file, "rb") as file:
            verifier.read(file)
    except (Damaged, OSError) as error:
        verifier.problem(str(error))
    seconds = time.perf_counter() - began
    report = {
        "seals": verifier.blocks,
        "entries": verifier.entries,
        "unsealed": verifier.unsealed,
        "head": verifier.head,
        "seconds": round(seconds, 3),
        "problems": verifier.problems,
    }
    if given.json:
        print(json.dumps(report))
    else:
        print(f"{verifier.blocks} seals, {verifier.entries} entries, head {verifier.head}")
        for problem in verifier.problems:
            print(f"  {problem}")
        print("The ledger is not as it was sealed." if verifier.problems else "All is well.")
    return 1 if verifier.problems else 0


if __name__ == "__main__":
    sys.exit(main())
