"""Begins reports, on campaigns under terms of every kind."""

import pytest

from backend.tests.disclosure.under_terms import (
    campaign,
    client,
    closed,
    further_settings,
    laboratory,
    settings,
)

__all__ = ["campaign", "client", "closed", "further_settings", "laboratory", "settings"]


@pytest.fixture(scope="module")
def project(laboratory):
    return laboratory.get("/projects")["items"][0]["id"]


@pytest.fixture(scope="module")
def call(laboratory):
    """A request to the API, of the project's owner unless somebody else is said."""

    def called(method, path, headers=None, **more):
        return laboratory.client.request(
            method, f"/api/v1{path}", headers=laboratory.headers | (headers or {}), **more
        )

    return called


@pytest.fixture
def report(call, project):
    """Begins one."""

    def begun(*sources, **more):
        body = {"project_id": project, "title": "What we found", "sources": list(sources)} | more
        answer = call("POST", "/reports", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    return begun
