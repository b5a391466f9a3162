"""What a search costs does not grow with what there is: statements, and rows that are looked at."""

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session
from weighhouse_backend.kit.db import make_engine
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.search.repository import SearchRepository
from weighhouse_backend.search.service import STORED
from weighhouse_testing.stored_campaigns import store_campaigns

from backend.tests.campaigns.test_listed import looked_at_by
from backend.tests.results.laboratory import experiment

FEW, MANY = 1_000, 10_000
MOST_STATEMENTS = 4
MOST_ROWS = 6_000
"""That a question looks at, whatever it is and however much there is."""
ASKED = ("main", "m", "1", "999", "mia main", "crowd", "main nowhere", "a b c", "rare")


def cost(session_factory, project_id, said):
    """Statements and rows of one question, as a tenant's transaction reads it."""
    asked = []

    def note(_c, _cursor, statement, parameters, *_):
        asked.append((statement, parameters))

    with unit_of_work(session_factory) as session:
        confine(session, [project_id])
        repository, engine = SearchRepository(session), session.get_bind()
        event.listen(engine, "before_cursor_execute", note)
        try:
            matches, _ = repository.matches(repository.terms(said), [project_id], STORED)
            repository.entries(matches[:50])
        finally:
            event.remove(engine, "before_cursor_execute", note)
        rows = looked_at_by(session, asked)
    return len(asked), rows


@pytest.fixture(scope="module")
def sizes(laboratory, session_factory, tenants, owner_database_url):
    """What each question costs, at two sizes ten times apart."""
    project = tenants[0].project_id
    laboratory.campaign(experiment("crowded", name="A crowded one"))

    def look():
        owner = make_engine(owner_database_url)
        with owner.begin() as connection:
            connection.execute(text("ANALYZE search_entries, search_words, campaigns"))
        owner.dispose()
        return {said: cost(session_factory, project, said) for said in ASKED}

    def store(count):
        with unit_of_work(session_factory) as session:
            store_campaigns(session, project, count)

    store(FEW)
    small = look()
    with unit_of_work(session_factory) as session:
        clear(session)
    store(MANY)
    return small, look()


def clear(session: Session) -> None:
    """Leave one campaign, of which others are made."""
    session.execute(text("DELETE FROM campaigns WHERE number > 1"))


@pytest.mark.parametrize("said", ASKED)
def test_a_question_costs_the_same_whatever_there_is(sizes, said):
    small, large = sizes
    assert large[said][0] == small[said][0] <= MOST_STATEMENTS
    assert large[said][1] <= MOST_ROWS, small[said]
