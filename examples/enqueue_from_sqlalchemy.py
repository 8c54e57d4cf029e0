"""Enqueue from SQLAlchemy, in the session's own transaction: the order and its job, or neither.

Run it with `DATABASE_URL=postgresql://… python examples/enqueue_from_sqlalchemy.py`.
"""

import os

from sqlalchemy import bindparam, create_engine, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "example_sqlalchemy_orders"
    number: Mapped[str] = mapped_column(primary_key=True)


ENQUEUE = text("SELECT id, created, state FROM handfast.enqueue(:kind, :key, :payload)").bindparams(
    bindparam("payload", type_=JSONB)
)


def place_order(session: Session, number: str, *, fail: bool = False) -> None:
    with session.begin():
        session.merge(Order(number=number))
        job = session.execute(
            ENQUEUE, {"kind": "example.ship", "key": number, "payload": {"order": number}}
        ).one()
        if fail:
            raise RuntimeError("the card was declined")
    print(f"{number}: {job.state}, {'new' if job.created else 'there already'}")


def main() -> None:
    url = os.environ["DATABASE_URL"].replace("postgresql://", "postgresql+psycopg://", 1)
    engine = create_engine(url)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        place_order(session, "sqlalchemy-1")
        try:
            place_order(session, "sqlalchemy-2", fail=True)
        except RuntimeError as error:
            print(f"sqlalchemy-2: {error}")
        with session.begin():
            orders = session.scalars(text("SELECT number FROM example_sqlalchemy_orders")).all()
            jobs = session.scalars(
                text("SELECT key FROM handfast.jobs WHERE key LIKE 'sqlalchemy-%' ORDER BY 1")
            ).all()
        print(f"orders: {list(orders)}, jobs: {list(jobs)}")
    engine.dispose()


if __name__ == "__main__":
    main()
