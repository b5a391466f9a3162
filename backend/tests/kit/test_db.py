"""How rows are stored."""

import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, LargeBinary, Text, func, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, Session, mapped_column
from weighhouse_backend.kit.db import Base, insert_new, make_engine

ROWS = 2_500
COUNTED = """
CREATE TABLE many (number integer PRIMARY KEY);
CREATE TABLE statements (at_once bigint);
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO statements SELECT count(*) FROM fresh; RETURN NULL; END $$;
CREATE TRIGGER told AFTER INSERT ON many REFERENCING NEW TABLE AS fresh
FOR EACH STATEMENT EXECUTE FUNCTION told();
"""


def test_many_rows_are_inserted_by_few_statements_and_none_twice(empty_database_url):
    class Many(Base):
        __tablename__ = "many"
        number: Mapped[int] = mapped_column(primary_key=True)

    engine = make_engine(empty_database_url, pool_size=1)
    try:
        with Session(engine) as session:
            session.execute(text(COUNTED))
            rows = [{"number": number} for number in range(ROWS)]
            insert_new(session, Many, rows[:700])
            insert_new(session, Many, rows)
            at_once = session.scalars(text("SELECT at_once FROM statements")).all()
    finally:
        engine.dispose()
        Base.metadata.remove(Base.metadata.tables["many"])
    assert sum(at_once) == ROWS
    assert len(at_once) <= ROWS // 500, "triggers of statements are fired for each row"


def test_what_is_inserted_is_what_was_given(empty_database_url):
    class Given(Base):
        __tablename__ = "given_rows"
        number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
        at: Mapped[datetime.datetime | None]
        whose: Mapped[UUID | None]
        share: Mapped[float | None]
        agrees: Mapped[bool | None]
        label: Mapped[str | None] = mapped_column(Text)
        told: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
        content: Mapped[bytes | None] = mapped_column(LargeBinary)

    text_of_people = "\\x00 \"quoted\" 'q' \u2028\t\n{}[]:,%s %(rows)s :rows é 漢 🐘"
    rows = [
        {"number": 2**63 - 1, "at": datetime.datetime(2026, 11, 30, 1, 2, 3, 456789, datetime.UTC),
         "whose": uuid4(), "share": 0.1 + 0.2, "agrees": True, "label": text_of_people,
         "told": {text_of_people: [None, 1e-308, 2**62, {"deep": [True, ""]}]},
         "content": bytes(range(256))},
        {"number": -(2**53) - 1, "at": datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC),
         "whose": UUID(int=0), "share": 1.7976931348623157e308, "agrees": False, "label": "",
         "told": {}, "content": b""},
        {"number": 0, "at": None, "whose": None, "share": None, "agrees": None, "label": None,
         "told": None, "content": None},
    ]  # fmt: skip
    engine = make_engine(empty_database_url, pool_size=1)
    try:
        Base.metadata.tables["given_rows"].create(engine)
        with Session(engine) as session:
            insert_new(session, Given, rows)
            stored = session.scalars(select(Given).order_by(Given.number.desc())).all()
            assert session.scalar(select(func.count()).where(Given.told.is_(None))) == 1
        found = [{name: getattr(each, name) for name in rows[0]} for each in stored]
    finally:
        engine.dispose()
        Base.metadata.remove(Base.metadata.tables["given_rows"])
    assert found == sorted(rows, key=lambda row: -row["number"])
