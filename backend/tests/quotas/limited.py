"""Limits, and what is asked for within and beyond them."""

import datetime
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from uuid import uuid4

from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.identity.audit_endpoints import router as audit
from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.quotas.endpoints import router as quotas
from weighhouse_backend.quotas.models import OrganizationQuotas, ProjectQuotas

from backend.tests.conftest import PASSWORD
from backend.tests.people import router as identity
from backend.tests.results.laboratory import ROUTERS
from backend.tests.results.reports import FACTS

CRASHED = {"kind": "database", "message": "it crashed"}
CSRF = {"X-Weighhouse": "1"}
EVERYTHING = (*ROUTERS, audit, identity, overviews, quotas)
LONG_AGO = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def limit(session_factory, tenant, scope="organization", **limits):
    with unit_of_work(session_factory) as session:
        if scope == "project":
            row = ProjectQuotas(project_id=tenant.project_id, limits=limits, version=1)
        else:
            row = OrganizationQuotas(
                organization_id=tenant.organization_id, limits=limits, version=1
            )
        session.merge(row)


def use(laboratory, scope="organization"):
    found = laboratory.get("/usage")[scope]["use"]
    return {one["kind"]: one for one in found}


def signed_in(make_client, tenant):
    client = make_client(*EVERYTHING)
    answer = client.post("/api/v1/sessions", json={"email": tenant.email, "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    return client


def refused(answer, kind, scope="organization"):
    assert answer.status_code == 409, answer.text
    assert answer.json()["type"] == "/docs/problems/quota-exceeded"
    assert (answer.headers["Quota-Kind"], answer.headers["Quota-Scope"]) == (kind, scope)
    return answer


def enrol(laboratory):
    made = laboratory.client.post(
        "/api/v1/agent-registration-tokens", json={}, headers=laboratory.headers
    )
    return register(laboratory, made.json()["token"])


def register(laboratory, token):
    return laboratory.client.post(
        "/agent/v1/register",
        json={"name": "another", "instance_id": str(uuid4()), "facts": FACTS},
        headers={"Authorization": f"Bearer {token}"},
    )


def ask(laboratory, slug):
    """Ask for another campaign of an experiment that is there."""
    return laboratory.client.post(
        "/api/v1/campaigns", json={"experiment": slug}, headers=laboratory.headers
    )


def put(laboratory, order, content):
    return laboratory.attempt(
        order, "PUT", f"artifacts/{sha256(content).hexdigest()}", content=content
    )


def other_project(session_factory, tenant):
    """A second project of the tenant's organization, with a laboratory's headers."""
    with unit_of_work(session_factory) as session:
        project = Project(
            organization_id=tenant.organization_id, slug="beside", name="Beside",
            created_at=LONG_AGO,
        )  # fmt: skip
        session.add(project)
        session.flush()
        return project.id


def at_once(*tasks):
    """Do several things at the same instant; what came of them."""
    barrier = threading.Barrier(len(tasks))

    def do(task):
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(do, tasks))
