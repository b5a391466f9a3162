"""Quotas: what is counted, what is refused or waits beyond them, and who sets them."""

import datetime
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.identity.endpoints import router as identity
from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.tenancy import confine, confine_to_people
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.quotas.endpoints import router as quotas
from weighhouse_backend.quotas.kinds import Kind, level_of, month_of, words
from weighhouse_backend.quotas.models import OrganizationQuotas, ProjectQuotas
from weighhouse_backend.quotas.repository import QuotaRepository

from backend.tests.conftest import PASSWORD, make_tenant
from backend.tests.results.laboratory import ROUTERS, Laboratory, experiment, steady
from backend.tests.results.reports import FACTS

CRASHED = {"kind": "database", "message": "it crashed"}
CSRF = {"X-Weighhouse": "1"}
EVERYTHING = (*ROUTERS, identity, overviews, quotas)
LONG_AGO = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


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


# What is counted


def test_everything_that_is_used_is_counted(laboratory, tenant):
    document = experiment("counted", repetitions=1)
    laboratory.carry_out(document, steady)
    laboratory.campaign(document)
    order = laboratory.begin()
    for content in (b"first", b"second"):
        assert put(laboratory, order, content).status_code == 201
    used = use(laboratory)
    assert used["agents"]["used"] == 1
    assert used["campaigns"]["used"] == 2
    assert used["concurrent_runs"]["used"] == 1
    assert used["artifact_bytes"]["used"] == len(b"first") + len(b"second")
    assert used["result_bytes"]["used"] > 10_000
    assert 0 <= used["machine_hours"]["used"] < 1
    assert {one["level"] for one in used.values()} == {"unlimited"}
    own = use(laboratory, "project")
    assert {kind: one["used"] for kind, one in own.items()} == {
        kind: one["used"] for kind, one in used.items()
    }, "it is the only project"


def test_what_is_counted_as_stored_is_what_is_stored(laboratory, session_factory, tenant):
    laboratory.carry_out(experiment("weighed", repetitions=1), steady)

    def sizes(session):
        return session.execute(
            text("""
            SELECT (SELECT sum(bytes) FROM result_sizes WHERE project_id = :own), (
              SELECT sum(size) FROM (
                SELECT pg_column_size(t) AS size FROM intervals t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM level_windows t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM resource_samples t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM sample_windows t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM timeline_marks t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM run_records t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM run_logs t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM fault_costs t WHERE project_id = :own
                UNION ALL SELECT pg_column_size(t) FROM run_summaries t WHERE project_id = :own
              ) every)"""),
            {"own": tenant.project_id},
        ).one()

    with unit_of_work(session_factory) as session:
        counted, stored = map(float, sizes(session))
        assert counted == pytest.approx(stored, rel=0.02)
        session.execute(text("DELETE FROM intervals WHERE project_id = :own"), {
            "own": tenant.project_id
        })  # fmt: skip
        less, left = map(float, sizes(session))
        assert less == pytest.approx(left, rel=0.05)
        assert less < counted


def test_a_file_counts_once_for_a_project(laboratory):
    laboratory.campaign(experiment("twice", repetitions=1))
    for _ in range(2):
        order = laboratory.begin()
        assert put(laboratory, order, b"the same").status_code == 201
        laboratory.complete(order, 0, outcome="failed", failure=CRASHED)
    assert use(laboratory)["artifact_bytes"]["used"] == len(b"the same")


def test_machine_hours_are_those_of_machines_in_the_month(laboratory, session_factory, tenant):
    """Two slots of one machine at the same time are one machine; a gang of two machines is two."""
    document = experiment("hours", repetitions=1)
    laboratory.carry_out(document, steady)
    begin = month_of(datetime.datetime.now(datetime.UTC))[0]
    hour = datetime.timedelta(hours=1)
    with unit_of_work(session_factory) as session:
        rows = session.execute(
            text("SELECT attempt_id FROM attempt_members WHERE project_id = :own"),
            {"own": tenant.project_id},
        ).scalars().all()  # fmt: skip
        assert len(rows) == 2
        spans = {rows[0]: (begin - hour, begin + hour), rows[1]: (begin, begin + 2 * hour)}
        for attempt_id, (claimed, finished) in spans.items():
            session.execute(
                text("UPDATE attempt_members SET offered_at = :a, claimed_at = :a,"
                     " finished_at = :b WHERE attempt_id = :id"),
                {"a": claimed, "b": finished, "id": attempt_id},
            )  # fmt: skip

        def hours(now):
            found = QuotaRepository(session).used(
                Kind.MACHINE_HOURS, tenant.project_id, month_of(now)[0], now
            )
            return [seconds / 3600 for seconds in found]

        assert hours(begin + 3 * hour) == [2, 2]
        assert hours(begin + 1.5 * hour) == [1.5, 1.5], "what is not over counts until now"
        assert hours(begin - 0.5 * hour) == [0.5, 0.5], "the month before"
        assert hours(month_of(begin)[1] + hour) == [0, 0], "the next one begins anew"
        session.execute(
            text("INSERT INTO agents SELECT (json_populate_record(null::agents, (to_jsonb(a)"
                 " || jsonb_build_object('id', gen_random_uuid(), 'instance_id',"
                 " gen_random_uuid(), 'token_hash', 'x' || a.id, 'name', 'second'))::json)).*"
                 " FROM agents a WHERE project_id = :own"),
            {"own": tenant.project_id},
        )  # fmt: skip
        session.execute(
            text("UPDATE attempt_members SET agent_id = (SELECT id FROM agents WHERE project_id ="
                 " :own AND name = 'second') WHERE attempt_id = :id"),
            {"own": tenant.project_id, "id": rows[1]},
        )  # fmt: skip
        assert hours(begin + 3 * hour) == [3, 3]


# What is refused, and what waits


def test_no_machine_is_enrolled_beyond_the_quota(laboratory, session_factory, tenant):
    limit(session_factory, tenant, agents=2)
    assert enrol(laboratory).status_code == 201
    answer = refused(enrol(laboratory), "agents")
    assert (answer.headers["Quota-Limit"], answer.headers["Quota-Used"]) == ("2", "3")
    assert "revoke a machine" in answer.json()["detail"]
    agents = laboratory.get("/agents")["items"]
    assert len(agents) == 2
    gone = laboratory.client.post(
        f"/api/v1/agents/{agents[0]['id']}/revoke", headers=laboratory.headers
    )
    assert gone.status_code == 200, gone.text
    assert enrol(laboratory).status_code == 201, "there is room again"


def test_of_two_machines_at_once_one_gets_the_last_place(laboratory, session_factory, tenant):
    limit(session_factory, tenant, agents=3)
    tokens = [
        laboratory.client.post(
            "/api/v1/agent-registration-tokens", json={}, headers=laboratory.headers
        ).json()["token"]
        for _ in range(6)
    ]
    answers = at_once(*(lambda one=one: register(laboratory, one) for one in tokens))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 409, 409, 409, 409]
    assert use(laboratory)["agents"]["used"] == 3


def test_no_campaign_is_kept_beyond_the_quota(laboratory, session_factory, tenant):
    limit(session_factory, tenant, campaigns=2)
    laboratory.campaign(experiment("kept", repetitions=1))
    answers = at_once(*(lambda: ask(laboratory, "kept"),) * 4)
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    refused(ask(laboratory, "kept"), "campaigns")
    assert len(laboratory.get("/campaigns")["items"]) == 2


def test_a_spent_month_starts_nothing_and_stops_nothing(laboratory, session_factory, tenant):
    document = experiment("spent", repetitions=1)
    campaign_id = laboratory.campaign(document)
    limit(session_factory, tenant, machine_hours=0)
    answer = refused(ask(laboratory, "spent"), "machine_hours")
    left = int(answer.headers["Quota-Reset"])
    now = datetime.datetime.now(datetime.UTC)
    assert left == pytest.approx((month_of(now)[1] - now).total_seconds(), abs=120)
    assert "Retry-After" not in answer.headers
    laboratory.measure(steady, 2)
    laboratory.work(lambda gates: gates.settlement.settle_campaign(UUID(campaign_id)))
    found = laboratory.get(f"/campaigns/{campaign_id}")
    assert (found["status"], found["runs"]["completed"]) == ("completed", 2)
    again = laboratory.client.post(
        f"/api/v1/campaigns/{campaign_id}/repeats", json={"count": 1}, headers=laboratory.headers
    )
    refused(again, "machine_hours")
    assert laboratory.get(f"/campaigns/{campaign_id}")["status"] == "completed"


def test_what_was_measured_is_taken_in_though_storage_is_full(
    laboratory, session_factory, tenant
):  # fmt: skip
    laboratory.campaign(experiment("full", repetitions=1))
    limit(session_factory, tenant, result_bytes=1, artifact_bytes=1)
    (order, *_) = laboratory.measure(steady, 2)
    assert laboratory.get(f"/runs/{order['run_id']}")["status"] == "completed"
    refused(ask(laboratory, "full"), "result_bytes")


def test_a_file_beyond_the_quota_is_refused_and_its_run_goes_on(
    laboratory, session_factory, tenant
):  # fmt: skip
    laboratory.campaign(experiment("files", repetitions=1))
    limit(session_factory, tenant, artifact_bytes=10)
    order = laboratory.begin()
    assert put(laboratory, order, b"12345678").status_code == 201
    refused(put(laboratory, order, b"abc"), "artifact_bytes")
    assert put(laboratory, order, b"12345678").status_code == 200, "it is there already"
    assert put(laboratory, order, b"ab").status_code == 201
    events = steady(order)
    laboratory.send(order, events)
    assert laboratory.complete(order, len(events)) == "accepted"
    laboratory.settle(order["run_id"])
    run = laboratory.get(f"/runs/{order['run_id']}")
    assert run["status"] == "completed"


def test_of_two_files_at_once_one_has_room(laboratory, session_factory, tenant):
    laboratory.campaign(experiment("race", repetitions=1))
    limit(session_factory, tenant, artifact_bytes=10)
    order = laboratory.begin()
    answers = at_once(
        *(lambda one=one: put(laboratory, order, one) for one in (b"a" * 8, b"b" * 8, b"c" * 8))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
    assert use(laboratory)["artifact_bytes"]["used"] == 8


def test_runs_beyond_the_quota_wait_and_say_so(laboratory, session_factory, tenant):
    laboratory.enrol()  # a second machine
    campaign_id = laboratory.campaign(experiment("waiting", repetitions=2))
    limit(session_factory, tenant, concurrent_runs=1)
    laboratory.work(lambda gates: gates.results.campaigns.allocator.allocate())
    found = laboratory.get(f"/campaigns/{campaign_id}")
    assert use(laboratory)["concurrent_runs"]["used"] == 1
    assert found["waiting_for"] == (
        "waits for a place: 1 of 1 concurrent runs of the organization are under way (quota)"
    )
    assert found["runs"]["failed"] == 0
    limit(session_factory, tenant, concurrent_runs=2)
    laboratory.work(lambda gates: gates.results.campaigns.allocator.allocate())
    assert use(laboratory)["concurrent_runs"]["used"] == 2
    limit(session_factory, tenant)
    laboratory.work(lambda gates: gates.results.campaigns.allocator.allocate())
    assert "quota" not in (laboratory.get(f"/campaigns/{campaign_id}")["waiting_for"] or "")


def test_allocators_at_once_do_not_give_out_beyond_the_quota(laboratory, session_factory, tenant):
    for _ in range(3):
        laboratory.enrol()
    laboratory.campaign(experiment("allocators", repetitions=3))
    limit(session_factory, tenant, concurrent_runs=2)

    def allocate():
        laboratory.work(lambda gates: gates.results.campaigns.allocator.allocate())

    for _ in range(3):
        at_once(*(allocate,) * 4)
        assert use(laboratory)["concurrent_runs"]["used"] <= 2
    assert use(laboratory)["concurrent_runs"]["used"] == 2


def test_the_lower_one_of_project_and_organization_holds(laboratory, session_factory, tenant):
    limit(session_factory, tenant, agents=5)
    limit(session_factory, tenant, "project", agents=1)
    answer = refused(enrol(laboratory), "agents", "project")
    assert "an owner of the organization may raise it" in answer.json()["detail"]


def test_the_projects_of_an_organization_share_its_quota(
    laboratory, session_factory, tenant, make_client
):  # fmt: skip
    """Also where the caller sees one of them alone."""
    beside = other_project(session_factory, tenant)
    with unit_of_work(session_factory) as session:
        session.execute(
            text("UPDATE agents SET project_id = :beside WHERE project_id = :own"),
            {"beside": beside, "own": tenant.project_id},
        )
    assert use(laboratory)["agents"]["used"] == 1
    assert use(laboratory, "project")["agents"]["used"] == 0
    limit(session_factory, tenant, agents=1)
    refused(enrol(laboratory), "agents")


def test_others_are_not_bound_by_a_quota_that_is_not_theirs(
    laboratory, session_factory, tenant, tenants, make_client, settings
):  # fmt: skip
    limit(session_factory, tenant, agents=0, campaigns=0, concurrent_runs=0)
    theirs = Laboratory(make_client(*EVERYTHING), session_factory, settings, tenants[1].headers)
    theirs.enrol()
    theirs.campaign(experiment("theirs", repetitions=1))
    assert theirs.begin()["run_id"]


# Who sees and sets them


def test_who_is_close_to_a_limit_is_warned(laboratory, session_factory, tenant):
    for _ in range(3):
        laboratory.enrol()
    limit(session_factory, tenant, agents=5, campaigns=10)
    found = laboratory.get("/usage")
    assert found["warnings"] == ["Agents of the organization: 4 of 5"]
    limit(session_factory, tenant, agents=4)
    found = laboratory.get("/usage")
    assert found["warnings"] == [
        "Agents of the organization: 4 of 4; no further machine is enrolled"
    ]
    agents = next(one for one in found["organization"]["use"] if one["kind"] == "agents")
    assert (agents["level"], agents["words"]) == ("reached", "4 of 4")
    assert "the operator of the installation may raise it" in agents["mend"]
    assert [one["resets_at"] is not None for one in found["project"]["use"]].count(True) == 1


def test_an_owner_of_the_organization_bounds_its_projects(make_client, tenant, session_factory):
    client = signed_in(make_client, tenant)
    params = {"project_id": str(tenant.project_id)}
    saved = client.put("/api/v1/project-quotas", params=params, json={"agents": 3}, headers=CSRF)
    assert saved.status_code == 200, saved.text
    tag = saved.headers["ETag"]
    assert client.get("/api/v1/usage", params=params).headers["ETag"] == tag
    body = {"agents": 4, "machine_hours": 12.5}
    newer = client.put(
        "/api/v1/project-quotas", params=params, json=body, headers={**CSRF, "If-Match": tag}
    )
    assert newer.json()["limits"]["machine_hours"] == 12.5
    late = client.put(
        "/api/v1/project-quotas", params=params, json={}, headers={**CSRF, "If-Match": tag}
    )
    assert (late.status_code, late.json()["type"]) == (412, "/docs/problems/changed-meanwhile")
    usage = client.get("/api/v1/usage", params=params).json()
    assert (usage["project"]["may_change"], usage["organization"]["may_change"]) == (True, False)
    entries = client.get("/api/v1/audit-entries", params=params).json()["items"]
    (latest, *_) = [one for one in entries if one["action"] == "quotas.saved"]
    assert latest["details"] == {"before": {"agents": 3}, "after": body}
    token = client.put("/api/v1/project-quotas", json={}, headers=tenant.headers)
    assert token.status_code == 403, "a project's token is no owner of the organization"
    wrong = client.put("/api/v1/project-quotas", params=params, json={"agents": -1}, headers=CSRF)
    assert wrong.status_code == 422


def test_the_operator_bounds_organizations_and_nobody_else_does(
    make_client, tenant, operator, session_factory
):  # fmt: skip
    address = f"/api/v1/organization-quotas/{tenant.organization_id}"
    owner = signed_in(make_client, tenant)
    for answer in (
        owner.put(address, json={"agents": 99}, headers=CSRF),
        owner.get("/api/v1/organization-quotas"),
        owner.put(address, json={"agents": 99}, headers=operator.headers),
    ):
        assert answer.status_code == 403, answer.text
        assert answer.json()["type"].endswith("forbidden")
    client = signed_in(make_client, operator)
    saved = client.put(address, json={"agents": 7, "result_bytes": 10**12}, headers=CSRF)
    assert saved.status_code == 200, saved.text
    listed = client.get("/api/v1/organization-quotas", params={"limit": 200}).json()["items"]
    (found,) = [one for one in listed if one["id"] == str(tenant.organization_id)]
    assert (found["limits"]["agents"], found["version"], found["updated_by"]) == (
        7, 1, "weighhouse",
    )  # fmt: skip
    late = client.put(address, json={}, headers={**CSRF, "If-Match": '"0"'})
    assert late.status_code == 412
    usage = owner.get("/api/v1/usage").json()["organization"]
    assert usage["limits"]["agents"] == 7
    entries = owner.get(
        "/api/v1/audit-entries", params={"project_id": str(tenant.project_id)}
    ).json()["items"]
    (entry,) = [one for one in entries if one["action"] == "quotas.saved"]
    assert (entry["actor"], entry["details"]["after"]["agents"]) == ("weighhouse", 7)
    gone = client.put(f"/api/v1/organization-quotas/{uuid4()}", json={}, headers=CSRF)
    assert gone.status_code == 404


def test_no_tenants_transaction_raises_its_own_quota(session_factory, tenant):
    limit(session_factory, tenant, agents=1)
    limit(session_factory, tenant, "project", agents=1)

    def change(how, table):
        column = "bytes = 0" if table == "result_sizes" else "limits = '{}'"
        with unit_of_work(session_factory) as session:
            how(session, [tenant.project_id])
            session.execute(text(f"UPDATE {table} SET {column}"))

    for how, table in (
        (confine, "organization_quotas"), (confine, "project_quotas"), (confine, "result_sizes"),
        (confine_to_people, "organization_quotas"),
    ):  # fmt: skip
        with pytest.raises(ProgrammingError, match="permission denied"):
            change(how, table)
    change(confine_to_people, "project_quotas")


def test_nobody_counts_what_others_use(session_factory, tenants):
    ours, theirs = tenants
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(session_factory) as session:
        confine(session, [ours.project_id])
        assert QuotaRepository(session).used(Kind.AGENTS, ours.project_id, now, now)[0] >= 0
        with pytest.raises(ProgrammingError, match="another project"):
            QuotaRepository(session).used(Kind.AGENTS, theirs.project_id, now, now)


# Words


def test_the_month_is_the_calendars_by_utc():
    zone = datetime.timezone(datetime.timedelta(hours=2))
    new_year = datetime.datetime(2027, 1, 1, 1, 0, tzinfo=zone)
    assert month_of(new_year) == (
        datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC),
        datetime.datetime(2027, 1, 1, tzinfo=datetime.UTC),
    )


def test_how_a_use_stands():
    assert [level_of(used, 10) for used in (7.9, 8, 9.9, 10, 11)] == [
        "fine", "near", "near", "reached", "reached",
    ]  # fmt: skip
    assert (level_of(5, None), level_of(0, 0)) == ("unlimited", "reached")
    assert [words(1234, "count"), words(12.34, "hours"), words(999, "bytes")] == [
        "1,234", "12.3 h", "999 B",
    ]  # fmt: skip
    assert words(1_500_000, "bytes") == "1.5 MB"
