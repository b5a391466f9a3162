"""Quotas that are nearly used up are told of: once for each limit, where somebody can act."""

from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.quotas.quota_warnings import QuotaWarningService

from backend.tests.notices.kept import notices_of
from backend.tests.quotas.limited import limit


def look(session_factory):
    with unit_of_work(session_factory) as session:
        QuotaWarningService(session, SystemClock()).look()


def test_what_is_used_up_is_told_once(laboratory, session_factory, tenant, operator):
    assert laboratory.get("/agents")["items"], "one machine is enrolled"
    look(session_factory)
    assert notices_of(session_factory, tenant.project_id) == []
    limit(session_factory, tenant, agents=1, campaigns=5, concurrent_runs=0)
    limit(session_factory, tenant, "project", agents=2)
    for _ in range(2):
        look(session_factory)
    (told,) = notices_of(session_factory, tenant.project_id)
    assert (told.kind, told.title) == ("quota", "Agents of the organization: 1 of 1")
    assert told.words.startswith("Now no further machine is enrolled. To go on, revoke")
    assert told.path == "/settings?tab=usage"
    limit(session_factory, tenant, "project", agents=1)
    look(session_factory)
    titles = [one.title for one in notices_of(session_factory, tenant.project_id)]
    assert titles == ["Agents of the organization: 1 of 1", "Agents of the project: 1 of 1"]
    assert notices_of(session_factory, operator.project_id) == []
