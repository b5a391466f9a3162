"""Lists without figures of their own: as their pages show them, narrowed as they are."""

import json

import pytest
from weighhouse_backend.exports.inventory_tables import containing

from backend.tests.exports.test_readers import by_duckdb, by_pandas, remarks
from backend.tests.sources.published import study

# pandas' smallest reader of Parquet, which it means to give up one day.
pytestmark = pytest.mark.filterwarnings("ignore:The 'fastparquet' engine")


def test_systems_are_those_of_the_page(laboratory, taken):
    listed = laboratory.get("/systems")["items"]
    kept = taken("systems")
    found = by_duckdb(kept)
    assert [(one["id"], one["agents"], one["benchmark_policy"]) for one in found] == [
        (one["id"], one["agents_count"], one["benchmark_clause"]["policy"]) for one in listed
    ]
    said = "\n".join(remarks(kept))
    for one in listed:
        for statement in one["disclaimers"]:
            assert " ".join(statement["text"].split()) in said


def test_agents_are_narrowed_by_the_words_of_their_page(laboratory, taken):
    (agent,) = laboratory.get("/agents")["items"]
    kept = taken("agents", "parquet")
    (row,) = by_pandas(kept).to_dict("records")
    assert (row["id"], row["name"], row["status"]) == (agent["id"], agent["name"], agent["status"])
    assert json.loads(row["facts"]) == agent["facts"]
    words = f"{agent['roles'][0].upper()} {agent['name'][:3]}"
    assert len(by_duckdb(taken("agents", text=words))) == 1
    none = taken("agents", text=f"{words} nowhere")
    assert by_duckdb(none) == []
    assert f"# narrowed to: text={words} nowhere" in remarks(none)


def test_experiments_are_narrowed_by_the_words_of_their_page(campaign, taken):
    del campaign
    assert by_duckdb(taken("experiments", text="REDIS weigh"))[0]["slug"] == "weighed"
    assert by_duckdb(taken("experiments", text="redis nothing")) == []


def test_studies_are_those_of_the_page(laboratory, taken):
    listed = laboratory.get("/studies")["items"]
    assert listed
    found = by_duckdb(taken("studies"))
    assert [(one["name"], one["measured"]) for one in found] == [
        (one["name"], one["measured"]) for one in listed
    ]
    for row, one in zip(found, listed, strict=True):
        for each in one["verdicts"]:
            assert row[f"claims_{each['verdict']}"] == each["claims"]


def test_what_others_published_and_reports_are_listed(laboratory, campaign, tenants, taken):
    told = {"headers": laboratory.headers}
    source = study() | {"source": study()["source"] | {"title": "=cmd|' /C calc'!A0"}}
    kept = laboratory.client.post("/api/v1/published-sources", content=json.dumps(source), **told)
    assert kept.status_code == 201, kept.text
    (row,) = by_duckdb(taken("published-sources"))
    assert row["id"] == kept.json()["id"]
    assert row["title"] == "'=cmd|' /C calc'!A0", "a spreadsheet carries nothing out"
    begun = {
        "project_id": str(tenants[0].project_id), "title": "Ours, in words",
        "sources": [{"name": "it", "campaign_id": campaign}],
    }  # fmt: skip
    made = laboratory.client.post("/api/v1/reports", json=begun, **told)
    assert made.status_code == 201, made.text
    (report,) = by_duckdb(taken("reports", "parquet"))
    assert (report["id"], report["title"]) == (made.json()["id"], "Ours, in words")


@pytest.mark.parametrize(
    ("wanted", "told", "has"),
    [
        ("redis 4 clients", ["redis", "4 clients"], True),
        ("redis 4 clients", ["redis", "64 clients"], False),
        ("4", ["4096 B"], True),
        ("9", ["p99"], True),
        ("7.0", ["redis 17.0"], False),
        ("clients re", ["Redis", "64 Clients"], True),
        (" ", ["redis"], True),
        (None, ["redis"], True),
    ],
)
def test_numbers_are_found_where_they_begin(wanted: str | None, told: list[str], has: bool) -> None:
    assert containing(wanted, told) is has
