"""Lists of campaigns over HTTP: narrowed, searched, in pages; what a page costs does not grow."""

import datetime
import hashlib
import json
from collections.abc import Iterable
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.filters import CampaignFilter, CampaignSearch
from weighhouse_backend.kit.db import make_engine
from weighhouse_backend.kit.pages import OLDEST, PageQuery, page_of
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_testing.stored_campaigns import RARE, Stored, store_campaigns

from .served import Tenant

FEW, MANY = 1_000, 100_000
MOST_ROWS = 600
"""That one page of 50 looks at, whatever it is narrowed to and however long the list is."""
MOST_COUNTED = 10_001


def store(tenant: Tenant, count: int) -> Stored:
    with tenant.world.transaction() as services:
        return store_campaigns(services.get(Session), tenant.world.project_id, count)


def listed(tenant: Tenant, **query: Any) -> dict[str, Any]:
    query = {"project_id": str(tenant.world.project_id)} | query
    answer = tenant.request("GET", "/api/v1/campaigns", params=query)
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


def numbers(page: dict[str, Any]) -> list[int]:
    return [one["number"] for one in page["items"]]


def test_of_a_thousand_campaigns_each_is_reached(tenant: Tenant) -> None:
    tenant.world.start()
    store(tenant, FEW)
    first = listed(tenant, limit=200, total=True)
    assert first["total"] == {"count": FEW, "is_exact": True}
    seen, page = numbers(first), first
    while page["next_cursor"]:
        page = listed(tenant, limit=200, cursor=page["next_cursor"])
        seen += numbers(page)
    assert seen == list(range(FEW, 0, -1))
    oldest = listed(tenant, limit=200, cursor=OLDEST)
    assert numbers(oldest) == list(range(200, 0, -1))
    while page["previous_cursor"]:
        page = listed(tenant, limit=200, cursor=page["previous_cursor"])
    assert numbers(page) == numbers(first)


def begin(tenant: Tenant, **wanted: Any) -> int:
    """Start a campaign of an experiment of its own; its number."""
    git, labels = wanted.pop("git", None), wanted.pop("labels", {})
    world = tenant.world
    if labels:
        world.agent(name=str(labels), labels=labels)
        wanted["placement"] = {"labels": labels}
    made = tenant.request(
        "POST", "/api/v1/campaigns",
        json={"experiment_id": str(world.experiment(**wanted)), "git": git},
    )  # fmt: skip
    assert made.status_code == 201, made.text
    return int(made.json()["number"])


def test_campaigns_are_narrowed_by_what_they_are(tenant: Tenant) -> None:
    nightly = begin(tenant, slug="nightly", name="Nightly 50 % mix")
    build = begin(
        tenant, slug="build", name="Every build", git={"commit": "a1" * 20, "branch": "m"}
    )
    racked = begin(tenant, slug="racked", labels={"rack": "a=b"})
    assert numbers(listed(tenant)) == [racked, build, nightly]
    campaign = listed(tenant, experiment="build")["items"][0]
    tenant.request("POST", f"/api/v1/campaigns/{campaign['id']}/cancel")
    for query, found in (
        ({"experiment": "nightly"}, [nightly]),
        ({"experiment": "nightl"}, []),
        ({"experiment_id": campaign["experiment"]["id"]}, [build]),
        ({"status": "cancelled"}, [build]),
        ({"status": "queued", "experiment": "build"}, []),
        ({"verdict": "none"}, [racked, build, nightly]),
        ({"verdict": "regression"}, []),
        ({"trigger": "api"}, [racked, build, nightly]),
        ({"trigger": "schedule"}, []),
        ({"requested_by": "ci"}, [racked, build, nightly]),
        ({"requested_by": "c"}, []),
        ({"label": "rack=a=b"}, [racked]),
        ({"label": "rack=a"}, []),
        ({"branch": "m"}, [build]),
        ({"measured": "true"}, []),
        ({"measured": "false"}, [racked, build, nightly]),
    ):
        assert numbers(listed(tenant, **query)) == found, query


def test_campaigns_are_searched_by_name_number_commit_and_release(tenant: Tenant) -> None:
    nightly = begin(tenant, slug="nightly", name="Nightly 50 % mix")
    commit = "beef" + "0" * 36
    build = begin(tenant, slug="build", name="Every build", git={"commit": commit})
    for searched, found in (
        ("night", [nightly]),
        ("NIGHTLY 50 %", [nightly]),
        ("%", [nightly]),
        ("build", [build]),
        (str(build), [build]),
        (f"#{build}", [build]),
        (f"№ {nightly}", [nightly]),
        ("BEEF", [build]),
        (commit, [build]),
        ("beef1", []),
        ("bee", []),
        ("7.2.1", []),
        ("  ", [build, nightly]),
        ("999999999", []),
    ):
        assert numbers(listed(tenant, text=searched)) == found, searched


def test_campaigns_are_found_by_their_day(tenant: Tenant) -> None:
    number = begin(tenant)
    (one,) = listed(tenant)["items"]
    begun = datetime.datetime.fromisoformat(one["created_at"])
    later = (begun + datetime.timedelta(milliseconds=1)).isoformat()
    assert numbers(listed(tenant, since=begun.isoformat(), until=later)) == [number]
    assert numbers(listed(tenant, since=later)) == []
    assert numbers(listed(tenant, until=begun.isoformat())) == []


@pytest.mark.parametrize(
    "query",
    [
        {"status": "gone"}, {"verdict": "best"}, {"label": "rack"}, {"since": "yesterday"},
        {"text": "x" * 101}, {"limit": 201}, {"cursor": "gone"}, {"experiment": "x" * 64},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_named(tenant: Tenant, query: dict[str, Any]) -> None:
    answer = tenant.request("GET", "/api/v1/campaigns", params=query)
    assert answer.status_code == 422
    (name,) = query
    assert name in answer.text


def test_nobody_finds_what_is_another_projects(new_tenant: Any) -> None:
    ours, theirs = new_tenant(), new_tenant()
    begin(ours, slug="ours", name="Ours alone", git={"commit": "f00d" * 10, "branch": "ours"})
    for query in ({"text": "Ours"}, {"text": "f00d"}, {"text": "1"}, {"branch": "ours"}):
        mine = {"project_id": str(theirs.world.project_id)} | query
        answer = theirs.request("GET", "/api/v1/campaigns", params=mine)
        assert answer.json()["items"] == [], query
    assert (
        theirs.request(
            "GET", "/api/v1/campaigns", params={"project_id": str(ours.world.project_id)}
        ).status_code
        == 404
    )


# What a page costs: rows that the database looked at, by its own count.


def rows_of(plan: dict[str, Any]) -> int:
    """Rows that a plan's scans gave or threw away."""
    own = 0
    if "Scan" in plan["Node Type"]:
        thrown = plan.get("Rows Removed by Filter", 0) + plan.get(
            "Rows Removed by Index Recheck", 0
        )
        own = round((plan["Actual Rows"] + thrown) * plan["Actual Loops"])
    return own + sum(rows_of(each) for each in plan.get("Plans", []))


def looked_at_by(session: Session, asked: Iterable[tuple[str, Any]]) -> int:
    """Rows that the database looks at for statements with their parameters."""
    rows = 0
    for statement, parameters in asked:
        explained = session.connection().exec_driver_sql(
            f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}", parameters
        )
        found = explained.scalar_one()
        rows += rows_of((json.loads(found) if isinstance(found, str) else found)[0]["Plan"])
    return rows


def cost(tenant: Tenant, page: PageQuery, **filters: Any) -> tuple[int, int]:
    """Statements and rows of one page, as a tenant's transaction reads it."""
    world, asked = tenant.world, []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "campaigns" in statement:
            asked.append((statement, parameters))

    with world.transaction() as services:
        session, engine = services.get(Session), services.get(Session).get_bind()
        confine(session, [world.project_id])
        event.listen(engine, "before_cursor_execute", note)
        try:
            listed = services.get(CampaignRepository).listed([world.project_id])
            query = services.get(CampaignSearch).narrow(
                listed, [world.project_id], CampaignFilter(**filters)
            )
            page_of(session, query, Campaign.id, page, lambda row: row, at=Campaign.created_at)
        finally:
            event.remove(engine, "before_cursor_execute", note)
        rows = looked_at_by(session, asked)
    return len(asked), rows


@pytest.fixture(scope="module")
def crowded(module_tenant: Tenant, owner_database_url: str) -> tuple[Tenant, Stored]:
    """A tenant with 100,000 campaigns, of which the database knows how they are."""
    module_tenant.world.start(slug="crowded", name="A crowded one")
    stored = store(module_tenant, MANY)
    owner = make_engine(owner_database_url)
    with owner.begin() as connection:
        connection.execute(text("ANALYZE campaigns, campaign_commits, experiments"))
    owner.dispose()
    return module_tenant, stored


def commit_of(number: int) -> str:
    return hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest() + "0" * 8


DAYS = datetime.timedelta(days=1)


@pytest.mark.parametrize(
    "filters",
    [
        {}, {"status": "failed"}, {"status": "completed"}, {"status": "running"},
        {"verdict": "regression"}, {"verdict": "none"}, {"requested_by": "Ada"},
        {"requested_by": "nobody"}, {"experiment": "crowded"}, {"experiment": "none"},
        {"text": "77777"}, {"text": "crowd"}, {"text": "nothing"}, {"text": commit_of(500)[:12]},
        {"commit": commit_of(90_000)}, {"branch": "main"}, {"branch": "rare"}, {"branch": "none"},
        {"since": 10 * DAYS, "until": 10 * DAYS + DAYS / 48},
        {"since": 900 * DAYS}, {"since": DAYS, "until": 30 * DAYS},
    ],
    ids=lambda filters: "-".join(f"{name}-{one}" for name, one in filters.items())[:40] or "all",
)  # fmt: skip
@pytest.mark.parametrize("cursor", [None, OLDEST], ids=["newest", "oldest"])
def test_a_page_of_a_long_list_costs_what_one_of_a_short_list_does(
    crowded: tuple[Tenant, Stored], filters: dict[str, Any], cursor: str | None
) -> None:
    tenant, _ = crowded
    now = datetime.datetime.now(datetime.UTC)
    asked = {
        name: now + one if isinstance(one, datetime.timedelta) else one
        for name, one in filters.items()
    }
    statements, rows = cost(tenant, PageQuery(limit=50, cursor=cursor), **asked)
    assert statements <= 3
    assert rows <= MOST_ROWS, filters


def test_the_middle_of_a_long_list_costs_no_more(crowded: tuple[Tenant, Stored]) -> None:
    tenant, stored = crowded
    page = PageQuery(limit=50, cursor=OLDEST)
    for _ in range(3):
        with tenant.world.transaction() as services:
            query = services.get(CampaignRepository).listed([tenant.world.project_id])
            read = page_of(
                services.get(Session), query, Campaign.id, page, lambda row: row.number,
                at=Campaign.created_at,
            )  # fmt: skip
        page = PageQuery(limit=50, cursor=read.previous_cursor)
        assert cost(tenant, page)[1] <= MOST_ROWS
    assert len(stored.rare) == (MANY - 1) // RARE


def test_counting_ends(crowded: tuple[Tenant, Stored]) -> None:
    tenant, _ = crowded
    _, rows = cost(tenant, PageQuery(limit=50, total=True))
    others = FEW  # lie in the table before them, where it is read from its beginning
    assert rows <= MOST_COUNTED + MOST_ROWS + others
    total = listed(tenant, total=True)["total"]
    assert total == {"count": 10_000, "is_exact": False}
