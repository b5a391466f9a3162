"""How rows are stored."""

from sqlalchemy import text
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
