"""Tenants with a laboratory each, and the operator."""

from uuid import uuid4

import pytest
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.conftest import make_tenant
from backend.tests.quotas.limited import EVERYTHING
from backend.tests.results.laboratory import Laboratory


@pytest.fixture(scope="module")
def operator(session_factory):
    """Who owns the organization that the installation began with."""
    with unit_of_work(session_factory) as session:
        return make_tenant(session, "weighhouse")


@pytest.fixture
def tenant(session_factory):
    with unit_of_work(session_factory) as session:
        return make_tenant(session, f"tenant-{uuid4().hex[:8]}")


@pytest.fixture
def laboratory(make_client, session_factory, settings, tenant):
    made = Laboratory(make_client(*EVERYTHING), session_factory, settings, tenant.headers)
    made.enrol()
    return made
