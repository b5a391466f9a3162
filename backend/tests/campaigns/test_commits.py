"""Campaigns know the commit they were started for, over real HTTP."""

from collections.abc import Callable
from typing import Any

import pytest
from weighhouse_protocol.git import MOST_HISTORY

from .served import Tenant

COMMIT = "9f2c1e7b0a4d5c6e8f90123456789abcdef01234"
GIT: dict[str, Any] = {
    "commit": COMMIT.upper(),
    "repository": "https://bot:s3cret@git.example/team/store.git",
    "branch": "faster-reads",
    "pull_request": 7,
    "pull_request_url": "https://git.example/team/store/pull/7",
    "subject": "Read twice as fast",
    "dirty": True,
}


def start(tenant: Tenant, git: dict[str, Any] | None) -> dict[str, Any]:
    body = {"experiment_id": str(tenant.world.experiment()), "git": git}
    made = tenant.request("POST", "/api/v1/campaigns", json=body)
    assert made.status_code == 201, made.text
    campaign: dict[str, Any] = made.json()
    return campaign


def listed(tenant: Tenant, query: str) -> list[str]:
    answer = tenant.request("GET", f"/api/v1/campaigns?{query}")
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["items"]]


def test_a_campaign_shows_its_commit_wherever_it_stands_and_no_secret(tenant: Tenant) -> None:
    campaign = start(tenant, GIT)

    assert campaign["git"] == {
        "commit": COMMIT,
        "repository": "https://git.example/team/store",
        "commit_url": f"https://git.example/team/store/commit/{COMMIT}",
        "branch": "faster-reads",
        "pull_request": 7,
        "pull_request_url": "https://git.example/team/store/pull/7",
        "subject": "Read twice as fast",
        "dirty": True,
        "committed_at": None,
        "merge_base": None,
    }
    shown = tenant.request("GET", campaign["links"]["self"])
    assert shown.json()["git"] == campaign["git"]
    assert "s3cret" not in shown.text
    [summary] = tenant.request("GET", "/api/v1/campaigns").json()["items"]
    assert summary["git"] == campaign["git"]


def test_a_campaign_without_a_commit_says_so(tenant: Tenant) -> None:
    assert start(tenant, None)["git"] is None


def test_campaigns_are_found_by_commit_branch_and_pull_request(tenant: Tenant) -> None:
    first = start(tenant, GIT)["id"]
    second = start(tenant, {"commit": "a" * 40, "branch": "main"})["id"]
    start(tenant, None)

    assert listed(tenant, f"commit={COMMIT}") == [first]
    assert listed(tenant, "commit=9F2C1E7") == [first]
    assert listed(tenant, "commit=aaaaaaa&branch=main") == [second]
    assert listed(tenant, "branch=main") == [second]
    assert listed(tenant, "branch=mai") == []
    assert listed(tenant, "pull_request=7") == [first]
    assert listed(tenant, "commit=9f2c1e7&branch=main") == []
    assert len(listed(tenant, "limit=10")) == 3


@pytest.mark.parametrize("commit", ["abc", "9f2c_", "%25", "g123456", "0" * 65])
def test_what_is_no_commit_is_refused_as_a_filter(tenant: Tenant, commit: str) -> None:
    answer = tenant.request("GET", f"/api/v1/campaigns?commit={commit}")

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "commit"


def test_nobody_sees_anothers_commits(new_tenant: Callable[[], Tenant]) -> None:
    ours, theirs = new_tenant(), new_tenant()
    start(ours, GIT)

    assert listed(theirs, "commit=9f2c1e7") == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("commit", None),
        ("commit", "main"),
        ("branch", "nul\x00"),
        ("branch", "b" * 256),
        ("subject", "two\nlines"),
        ("repository", "/srv/git/store"),
        ("pull_request", 2**40),
        ("pull_request_url", "javascript:alert(1)"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_field(tenant: Tenant, field: str, value: Any) -> None:
    body = {"experiment_id": str(tenant.world.experiment()), "git": GIT | {field: value}}

    answer = tenant.request("POST", "/api/v1/campaigns", json=body)

    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["path"] == f"git.{field}"


def test_a_repeated_request_with_another_commit_is_another_request(tenant: Tenant) -> None:
    body = {"experiment_id": str(tenant.world.experiment()), "git": GIT}
    headers = {"Idempotency-Key": "build-1"}

    def post(git: dict[str, Any]) -> tuple[int, str | None]:
        answer = tenant.request(
            "POST", "/api/v1/campaigns", json=body | {"git": git}, headers=headers
        )
        return answer.status_code, answer.json().get("id")

    first = post(GIT)
    assert first[0] == 201
    assert post(GIT) == first
    assert post(GIT | {"commit": "b" * 40})[0] == 422


def test_a_history_as_long_as_it_may_be_is_taken(tenant: Tenant) -> None:
    names = [f"{at:x}".rjust(64, "0") for at in range(1, MOST_HISTORY + 1)]
    history = [
        {"commit": name, "committed_at": "2026-03-01T12:00:00+00:00", "parents": names[at : at + 8]}
        for at, name in enumerate(names, 1)
    ]
    campaign = start(tenant, {"commit": names[0], "history": history})
    assert campaign["git"]["committed_at"] == "2026-03-01T12:00:00Z"
