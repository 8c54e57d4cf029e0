"""Enqueue from psycopg, in a transaction of your own: the order and its job, or neither.

Run it with `DATABASE_URL=postgresql://… python examples/enqueue_from_psycopg.py`.

Needs no Handfast in this program, only its SQL functions in the database (`handfast migrate`).
"""

import os

import psycopg
from psycopg.types.json import Jsonb


def place_order(connection: psycopg.Connection, number: str, *, fail: bool = False) -> None:
    with connection.transaction():
        connection.execute("INSERT INTO example_orders VALUES (%s)", (number,))
        job = connection.execute(
            "SELECT id, created, state FROM handfast.enqueue(%s, %s, %s)",
            ("example.ship", number, Jsonb({"order": number})),
        ).fetchone()
        if fail:
            raise RuntimeError("the card was declined")
    print(f"{number}: {job}")


def main() -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS example_orders (number text)")
        with connection.transaction():
            connection.execute("DELETE FROM example_orders")
        place_order(connection, "psycopg-1")
        try:
            place_order(connection, "psycopg-2", fail=True)
        except RuntimeError as error:
            print(f"psycopg-2: {error}")
        for table, column in (("example_orders", "number"), ("handfast.jobs", "key")):
            found = connection.execute(
                f"SELECT {column} FROM {table} WHERE {column} LIKE 'psycopg-%%' ORDER BY 1"  # noqa: S608
            ).fetchall()
            print(f"{table}: {[row[0] for row in found]}")


if __name__ == "__main__":
    main()
