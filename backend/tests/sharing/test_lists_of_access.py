"""Lists of who may see what, as files: those of their pages, without what opens anything."""

import csv
import datetime
import io
import json

import pytest
from weighhouse_backend.experiments.models import ScheduleOccurrence
from weighhouse_backend.identity.models import Invitation
from weighhouse_backend.kit.unit_of_work import unit_of_work

FORMS = ("csv", "jsonl", "parquet")


@pytest.fixture
def taken(call, tenants):
    """An export as text, by whom it is asked."""

    def take(path, who="owner", form="csv"):
        query = {"project_id": str(tenants[0].project_id), "format": form}
        answer = call("GET", f"/exports/{path}", who, **query)
        assert answer.status_code == 200, answer.text
        return answer

    return take


def rows_of(answer):
    lines = [line for line in answer.text.splitlines(keepends=True) if not line.startswith("# ")]
    return list(csv.DictReader(io.StringIO("".join(lines))))


def test_what_is_shared_is_listed_without_its_links(call, share, taken, campaign, tenants):
    made = share(
        campaign_id=campaign, visibility="link", password="open it once", title="=1+1",
    )  # fmt: skip
    (secret,) = made["url"].partition("#")[2:]
    assert len(secret) > 20
    listed = call("GET", "/shares", project_id=str(tenants[0].project_id)).json()["items"]
    rows = rows_of(taken("shares"))
    assert [(one["id"], one["state"], one["visibility"], int(one["seen"])) for one in rows] == [
        (one["id"], one["state"], one["visibility"], one["seen_count"]) for one in listed
    ]
    assert rows[0]["title"] == "'=1+1", "a spreadsheet runs nothing"
    for who in ("owner", "viewer"):
        for form in FORMS:
            assert secret.encode() not in taken("shares", who, form).content, (who, form)


def test_people_invitations_and_tokens_are_those_of_their_lists(
    call, taken, tenants, session_factory
):
    project = str(tenants[0].project_id)
    with unit_of_work(session_factory) as session:
        now = datetime.datetime.now(datetime.UTC)
        session.add(
            Invitation(
                organization_id=tenants[0].organization_id, project_id=tenants[0].project_id,
                email="new@house.test", role="guest", invited_by="=Ada", created_at=now,
                expires_at=now + datetime.timedelta(days=1),
            )
        )  # fmt: skip
    for path, told in (
        ("members", ("id", "email", "name", "role")),
        ("invitations", ("id", "email", "role", "invited_by")),
        ("api-tokens", ("id", "name", "prefix", "role", "created_by")),
    ):
        listed = call("GET", f"/{path}", project_id=project).json()["items"]
        assert listed, path
        lines = taken(path, form="jsonl").text.splitlines()
        assert set(json.loads(lines[0])) == {"about"}
        found = [json.loads(line) for line in lines[1:]]
        assert [[one[name] for name in told] for one in found] == [
            [one[name] for name in told] for one in listed
        ], path


def test_who_may_not_see_a_list_takes_none_along(call, tenants):
    for project, expected in ((tenants[0].project_id, {403}), (tenants[1].project_id, {404})):
        for path in ("invitations", "api-tokens"):
            answer = call(
                "GET", f"/exports/{path}", "viewer", project_id=str(project), format="parquet"
            )
            assert answer.status_code in expected, (path, answer.text)


LISTED = (
    ("channels", "/notices/channels", "project", ("name", "place", "kind")),
    ("pipeline-trusts", "/pipeline-trusts", "project", ("name", "issuer", "role")),
    ("revisions", "/experiments/{}/revisions", "experiment", ("number", "yaml", "content_hash")),
    ("occurrences", "/experiments/{}/schedule/occurrences", "experiment", ("outcome", "reason")),
    ("annotations", "/annotations", "", ("text", "author")),
)


@pytest.fixture
def written(call, tenants, campaign, session_factory):
    """One of each list; the query that names it."""
    project, of = tenants[0].project_id, call("GET", f"/campaigns/{campaign}").json()
    experiment, run = of["experiment"]["id"], of["cells"][0]["runs"][0]["id"]
    for path, body in (
        ("/annotations", {"subject": {"kind": "run", "run_id": run}, "text": "=noted"}),
        (
            "/notices/channels",
            {"project_id": str(project), "kind": "webhook", "name": "=ours", "kinds": ["quota"],
             "address": "https://hooks.house.test/a-secret-path"},
        ),
        (
            "/pipeline-trusts",
            {"project_id": str(project), "name": "ours", "role": "viewer",
             "scopes": ["results:read"],
             "issuer": "https://token.actions.githubusercontent.com",
             "conditions": {"repository": "ours/theirs"}},
        ),
    ):  # fmt: skip
        made = call("POST", path, **body)
        assert made.status_code == 201, made.text
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(session_factory) as session:
        session.add(
            ScheduleOccurrence(
                experiment_id=experiment, project_id=project, first_at=now, scheduled_for=now,
                dates_count=1, outcome="missed", reason="=nobody was there", noted_at=now,
            )
        )  # fmt: skip
    return {
        "project": {"project_id": str(project)},
        "experiment": {"experiment_id": experiment},
        "": {},
    }


def test_each_list_leaves_as_its_page_has_it(call, written):
    for path, list_path, of, told in LISTED:
        query = written[of]
        at = list_path.format(query.get("experiment_id"))
        listed = call("GET", at, **(query if of == "project" else {}))
        items = listed.json().get("items")
        assert items, (path, listed.text)
        taken = {form: call("GET", f"/exports/{path}", format=form, **query) for form in FORMS}
        for form, answer in taken.items():
            assert answer.status_code == 200, (path, form, answer.text)
            assert b"a-secret-path" not in answer.content
        found = [json.loads(line) for line in taken["jsonl"].text.splitlines()[1:]]
        assert [[one[name] for name in told] for one in found] == [
            [one[name] for name in told] for one in items
        ], path
        cells = [str(value) for row in rows_of(taken["csv"]) for value in row.values()]
        assert not [one for one in cells if one.startswith("=")], "a spreadsheet runs nothing"
