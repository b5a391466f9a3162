"""What is written through the product is found by its words, as it is called now, by its own."""

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.search.endpoints import router as search

from backend.tests.results.laboratory import ROUTERS, Laboratory, experiment
from backend.tests.results.reports import whole_run
from backend.tests.sources.published import study

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
COMMIT = "beefcafe" + "0" * 32
GIT = {
    "commit": COMMIT,
    "branch": "feature/Zebra",
    "subject": "Evict by a clock",
    "pull_request": 4711,
}


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory):
    docs = tmp_path_factory.mktemp("docs")
    (docs / "adr").mkdir()
    (docs / "adr" / "0001.md").write_text("# 0001: An okapi\n")
    (docs / "gate.md").write_text(
        "# The gate\n\nWhat may pass.\n\n## The gate, and its okapi\n\nSee [the okapi](x.md).\n"
        "\n```\n# no heading\n```\n"
        "\n| word | is |\n| --- | --- |\n| narwhal (of a sea) | a *tusk* |\n"
    )
    return settings.model_copy(update={"docs_dir": docs, "experiments_dir": EXPERIMENTS})


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants):
    client = make_client(*ROUTERS, search)
    made = Laboratory(client, session_factory, settings, tenants[0].headers)
    made.enrol()
    return made


@pytest.fixture(scope="module")
def campaign(laboratory):
    """Of an experiment, with a commit, measured."""
    document = experiment(
        "wombat", name="Wombat nights", description="Burrows at dusk", repetitions=1,
        targets=[{"name": "quokka-8", "system": "redis"}],
    )  # fmt: skip
    return laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1), git=GIT)


@pytest.fixture(scope="module")
def ask(laboratory):
    """Asks; the answer."""

    def asked(q, headers=None, **more):
        return laboratory.client.get(
            "/api/v1/search", params={"q": q, **more}, headers=headers or laboratory.headers
        )

    return asked


@pytest.fixture(scope="module")
def find(ask):
    """Asks; titles of what is found, by kind."""

    def found(q, headers=None, **more):
        answer = ask(q, headers, **more)
        assert answer.status_code == 200, answer.text
        return {
            group["kind"]: [hit["title"] for hit in group["items"]]
            for group in answer.json()["groups"]
        }

    return found


def hits(ask, q, kind, **more):
    (group,) = ask(q, kind=kind, **more).json()["groups"]
    return group["items"]


@pytest.mark.parametrize(
    ("said", "kind", "title"),
    [
        ("wombat", "experiment", "Wombat nights"),
        ("NIGHTS womb", "experiment", "Wombat nights"),
        ("dusk", "experiment", "Wombat nights"),
        ("quokka-8", "experiment", "Wombat nights"),
        ("№ 1", "campaign", "№ 1"),
        ("#1", "campaign", "№ 1"),
        ("beefcaf", "commit", "Evict by a clock"),
        (COMMIT.upper(), "commit", "Evict by a clock"),
        ("zebra", "commit", "Evict by a clock"),
        ("PR 4711", "commit", "Evict by a clock"),
        ("quokka throughput", "series", "quokka-8 · balanced · 4 clients"),
        ("p99_us quokka", "series", "quokka-8 · balanced · 4 clients"),
        ("memcached", "system", "Memcached"),
        ("pendonl", "parameter", "appendonly"),
        ("hz redis", "parameter", "hz"),
        ("memtier", "study", "Dragonfly by memtier, and Garnet beside it"),
        ("okapi", "help", "The gate, and its okapi"),
        ("tusk", "help", "narwhal (of a sea)"),
    ],
)
def test_what_there_is_is_found(campaign, find, said, kind, title):
    del campaign
    assert title in find(said)[kind]


@pytest.mark.parametrize("said", ["ombat", "beefcafe1", "wombat okapi", "nowhere", "adr"])
def test_what_there_is_not_is_not(campaign, find, said):
    del campaign
    assert find(said) == {}


def test_an_experiment_is_told_by_its_slug_where_nothing_else_says_it(laboratory, ask):
    document = experiment("bilby-7", name="After rain", description="Digging", repetitions=1)
    laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1))
    assert [one["excerpt"] for one in hits(ask, "bilby", "experiment")] == [
        [{"text": "bilby", "is_match": True}, {"text": "-7", "is_match": False}]
    ]
    assert hits(ask, "rain", "experiment")[0]["excerpt"] == []


def test_a_campaign_says_what_of_it_was_found(campaign, laboratory, ask):
    by = laboratory.get(f"/campaigns/{campaign}")["requested_by"]
    found = hits(ask, by, "campaign")
    assert {"".join(piece["text"] for piece in one["excerpt"]) for one in found} == {
        f"started by {by}"
    }


def test_the_nights_of_an_experiment_are_those_of_its_main_line(laboratory, ask):
    document = experiment("potoroo", name="Potoroo", repetitions=1)
    for rate, git in ((100, {"branch": "main"}), (50, {"pull_request": 8}), (200, {})):
        told = {"commit": str(rate)[0] * 40, "default_branch": "main", **git}
        laboratory.carry_out(
            document, lambda _, rate=rate: whole_run(seed=1, rate=rate, seconds=1), git=told
        )
    (one,) = hits(ask, "potoroo", "experiment")
    first, last = one["nights"]["values"]
    assert first < last


def test_hits_lead_to_their_pages_and_say_where_they_have_the_words(campaign, ask, tenants):
    project = str(tenants[0].project_id)
    (one,) = hits(ask, "burrows", "experiment")
    assert one["path"] == f"/experiments/wombat?project={project}"
    assert [piece["text"] for piece in one["excerpt"] if piece["is_match"]] == ["Burrows"]
    assert "".join(piece["text"] for piece in one["excerpt"]).startswith("Burrows at dusk")
    nights = one["nights"]
    assert (nights["figure"], nights["series"]) == ("throughput", "quokka-8 · balanced · 4 clients")
    assert len(nights["values"]) == 1
    (one,) = hits(ask, "beefcafe", "commit")
    assert one["path"] == f"/campaigns/{campaign}?project={project}"
    assert one["of"] == "Wombat nights · № 1"
    one = hits(ask, "quokka throughput", "series")[0]
    assert one["path"].startswith("/history?series=")
    assert one["of"].startswith("Wombat nights · ")
    (one,) = hits(ask, "okapi", "help")
    assert one["path"] == "/docs/gate#the-gate-and-its-okapi"
    assert one["of"] == "The gate"


def test_a_renamed_thing_is_found_by_its_new_name_alone(campaign, find, laboratory):
    del campaign
    document = experiment("renamed", name="Aardvark")
    laboratory.campaign(document)
    assert find("aardvark")["experiment"] == ["Aardvark"]
    laboratory.campaign(document | {"name": "Platypus"})
    assert find("aardvark") == {}
    assert find("platypus")["experiment"] == ["Platypus"]


def test_notes_reports_and_sources_are_found_until_they_are_removed(
    campaign, find, laboratory, tenants
):
    client, headers = laboratory.client, laboratory.headers
    project = str(tenants[0].project_id)
    run = laboratory.get("/runs", campaign_id=campaign)["items"][0]["id"]
    note = client.post(
        "/api/v1/annotations", headers=headers,
        json={"subject": {"kind": "run", "run_id": run}, "text": "An echidna bit the cable"},
    ).json()  # fmt: skip
    report = client.post(
        "/api/v1/reports", headers=headers,
        json={
            "project_id": project, "title": "Of echidnas",
            "sources": [{"name": "one", "campaign_id": campaign}],
        },
    ).json()  # fmt: skip
    source = client.post(
        "/api/v1/published-sources", headers=headers,
        params={"project_id": project}, json=study(title="Echidna stores"),
    ).json()  # fmt: skip
    assert find("echidna") == {
        "report": ["Of echidnas"],
        "source": ["Echidna stores"],
        "note": ["An echidna bit the cable"],
    }
    for path in (
        f"annotations/{note['id']}", f"reports/{report['id']}", f"published-sources/{source['id']}",
    ):  # fmt: skip
        gone = client.delete(f"/api/v1/{path}", headers=headers)
        assert gone.status_code in {200, 204}, gone.text
    assert find("echidna") == {}


def test_a_campaign_that_is_deleted_is_found_no_more(find, laboratory):
    document = experiment("passing", repetitions=1)
    campaign = laboratory.campaign(document, git={"commit": "dead" * 10})
    number = laboratory.get(f"/campaigns/{campaign}")["number"]
    assert find("deaddead") == {"commit": ["deaddeaddead"]}
    with unit_of_work(laboratory.sessions) as session:
        session.execute(text("DELETE FROM campaigns WHERE id = :id"), {"id": campaign})
    assert find("deaddead") == {}
    assert "campaign" not in find(f"{number}")


def test_nobody_finds_what_is_anothers(campaign, find, ask, tenants):
    del campaign
    theirs = tenants[1].headers
    for said in ("wombat", "beefcafe", "1", "quokka", "redis", "memcached", "appendonly"):
        found = find(said, theirs)
        assert set(found) <= {"study"}, said  # those are the installation's
    assert ask("wombat", theirs, project_id=str(tenants[0].project_id)).status_code == 404
    assert set(find("okapi", theirs)) == {"help"}


def test_the_database_itself_shows_and_takes_nothing_of_others(campaign, session_factory, tenants):
    del campaign
    with unit_of_work(session_factory) as session:
        confine(session, [tenants[1].project_id])
        for table in ("search_entries", "search_words"):
            assert session.scalar(text(f"SELECT count(*) FROM {table}")) == 0
    for change in ("DELETE FROM search_words", "UPDATE search_entries SET title = 'x'"):
        for projects in (None, [tenants[0].project_id]):
            with pytest.raises(ProgrammingError, match="permission denied"):
                carry_out(session_factory, change, projects)


def carry_out(session_factory, statement, projects):
    """A statement, in a transaction that is confined to projects; None: that is not."""
    with unit_of_work(session_factory) as session:
        if projects is not None:
            confine(session, projects)
        session.execute(text(statement))


def test_archived_projects_are_searched_only_by_name(campaign, find, session_factory, tenants):
    del campaign
    archive = text("UPDATE projects SET archived_at = :at WHERE id = :id")
    project = tenants[0].project_id
    with unit_of_work(session_factory) as session:
        session.execute(archive, {"at": "2026-11-28T00:00:00Z", "id": project})
    try:
        assert find("wombat") == {}
        assert "experiment" in find("wombat", project_id=str(project))
    finally:
        with unit_of_work(session_factory) as session:
            session.execute(archive, {"at": None, "id": project})


def test_a_kind_is_paged_through(find, ask, laboratory):
    for name in ("a", "b", "c"):
        laboratory.campaign(experiment(f"page-{name}", name=f"Paged {name}"))
    seen, cursor = [], None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        (group,) = ask("paged", kind="experiment", limit=2, **more).json()["groups"]
        seen += [hit["title"] for hit in group["items"]]
        cursor = group["more_cursor"]
        if cursor is None:
            break
    assert seen == ["Paged c", "Paged b", "Paged a"]
    assert find("paged c")["experiment"] == ["Paged c"]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"q": ""}, "q"), ({"q": "№ %"}, "q"), ({"q": "x" * 201}, "q"),
        ({"q": "a b c d e f g h i"}, "q"), ({"q": "a", "limit": 51}, "limit"),
        ({"q": "a", "kind": "person"}, "kind"), ({"q": "a", "cursor": "2"}, "kind"),
        ({"q": "a", "kind": "campaign", "cursor": "two"}, "cursor"),
        ({"q": "a", "kind": "campaign", "cursor": "99999"}, "cursor"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_named(laboratory, query, name):
    answer = laboratory.client.get("/api/v1/search", params=query, headers=laboratory.headers)
    assert answer.status_code == 422
    assert name in answer.text


@pytest.mark.parametrize("said", ["'", "a' OR 1=1", "%_\\", "(((", "a\u0301", "😀 wombat"])
def test_signs_are_signs(ask, said):
    assert ask(said).status_code in {200, 422}
