"""What is counted as used, and who sets and sees limits."""

import datetime
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from weighhouse_backend.kit.tenancy import confine, confine_to_people
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.quotas.kinds import Kind, level_of, month_of, words
from weighhouse_backend.quotas.repository import QuotaRepository

from backend.tests.quotas.limited import (
    CRASHED,
    CSRF,
    limit,
    put,
    signed_in,
    use,
)  # fmt: skip
from backend.tests.results.laboratory import experiment, steady

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

    # A row beyond 2 kB is counted as it came, and compressed when it is stored: the records of both
    # runs are.
    with unit_of_work(session_factory) as session:
        counted, stored = map(float, sizes(session))
        assert counted == pytest.approx(stored, rel=0.02, abs=2 * 1024)
        session.execute(text("DELETE FROM intervals WHERE project_id = :own"), {
            "own": tenant.project_id
        })  # fmt: skip
        less, left = map(float, sizes(session))
        assert less == pytest.approx(left, rel=0.02, abs=2 * 1024)
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
