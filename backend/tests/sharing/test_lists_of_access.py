"""Lists of who may see what, as files: those of their pages, without what opens anything."""

import csv
import io
import json

import pytest

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


def test_people_invitations_and_tokens_are_those_of_their_lists(call, taken, tenants):
    project = str(tenants[0].project_id)
    invited = call("POST", "/invitations", email="new@house.test", role="member")
    assert invited.status_code == 201, invited.text
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
