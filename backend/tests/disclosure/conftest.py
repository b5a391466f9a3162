"""A platform that signs links, and a campaign under terms of every kind."""

import pytest
from weighhouse_backend.identity.audit_endpoints import router as audit

from backend.tests.disclosure.policed import manifests, measured
from backend.tests.disclosure.under_terms import further_settings, people, settings
from backend.tests.people import router as identity
from backend.tests.results.laboratory import ROUTERS, Laboratory

__all__ = ["further_settings", "people", "settings"]


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants):
    made = Laboratory(
        make_client(*ROUTERS, identity, audit), session_factory, settings, tenants[0].headers
    )
    made.enrol(*manifests())
    return made


@pytest.fixture(scope="module")
def campaign(laboratory):
    return measured(laboratory)
