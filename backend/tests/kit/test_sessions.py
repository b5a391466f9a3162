"""Many requests at once share few connections without standing in each other's way."""

import asyncio
from collections import Counter
from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI
from sqlalchemy import text
from sqlalchemy.orm import Session
from weighhouse_backend.kit.db import SessionDep, install_database, make_engine


def first_query(session: SessionDep) -> Session:
    """Holds a connection from here on, and gives its thread back."""
    session.execute(text("SELECT 1"))
    return session


@pytest.fixture
def app(database_url):
    made = FastAPI()
    engine = make_engine(database_url, pool_size=2)
    install_database(made, engine)

    @made.get("/one")
    def one(session: Annotated[Session, Depends(first_query)]) -> int:
        return session.execute(text("SELECT 1")).scalar_one()

    yield made
    engine.dispose()


def test_more_requests_than_threads_and_connections_are_all_answered(app):
    async def ask() -> Counter[int]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            answers = await asyncio.gather(*(client.get("/one") for _ in range(200)))
        return Counter(answer.status_code for answer in answers)

    assert asyncio.run(ask()) == {200: 200}
