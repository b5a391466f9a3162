"""Prices over the API, and costs by them of campaigns that were carried out."""

import statistics

import pytest
from weighhouse_backend.identity.audit_endpoints import router as audit

from backend.tests.people import router as identity
from backend.tests.results.laboratory import ROUTERS, experiment
from backend.tests.results.sides import report

OWN = {
    "name": "rack 4", "basis": "hour", "amount": 0.36, "currency": "EUR", "as_of": "2026-10-01",
    "source": "contract 12", "machines": ["host"],
}  # fmt: skip
POWER = {
    "name": "by power", "basis": "power", "amount": 0.25, "watts": 200, "currency": "EUR",
    "as_of": "2026-10-01", "source": "the bill of October",
}  # fmt: skip
LICENCE = {
    "system": "memcached", "amount": 8760, "per": "machine", "currency": "EUR",
    "as_of": "2026-10-01", "source": "an offer",
}  # fmt: skip


@pytest.fixture(scope="module")
def campaign(laboratory):
    return laboratory.carry_out(experiment("costed"), report)


def save(laboratory, status=200, headers=None, **sheet):
    answer = laboratory.client.put(
        "/api/v1/prices", json=sheet, headers=laboratory.headers | (headers or {})
    )
    assert answer.status_code == status, answer.text
    return answer


def costs(laboratory, campaign, **asked):
    return laboratory.get("/comparisons/costs", campaign=campaign, **asked)


def by_target(found):
    return {cell["side"].split("~")[1]: cell for cell in found["cells"]}


def test_without_a_price_there_is_no_cost_and_the_reason_is_given(laboratory, campaign):
    save(laboratory)
    found = costs(laboratory, campaign)
    for cell in found["cells"]:
        assert (cell["per_million"], cell["hourly"], cell["currency"]) == (None, None, None)
        assert "none names the machine host" in cell["because"]
        assert cell["throughput"]["repeats"] == 5
    assert found["prices"] == []


def test_a_million_operations_cost_what_an_hour_costs_by_what_is_done_in_it(laboratory, campaign):
    save(laboratory, machines=[OWN])
    found = costs(laboratory, campaign)
    compared = laboratory.get("/comparisons", campaign=campaign)
    done = {cell["side"]: cell["repeats"] for cell in compared["cells"]}
    for cell in found["cells"]:
        each = [0.36 / 3600 / one["throughput"] * 1e6 for one in done[cell["side"]]]
        assert cell["per_million"]["median"] == pytest.approx(statistics.median(each))
        assert cell["per_million"]["low"] < min(each) < max(each) < cell["per_million"]["high"]
        assert (cell["per_million"]["kind"], cell["per_million"]["repeats"]) == ("interval", 5)
        assert (cell["currency"], cell["hourly"]) == ("EUR", 0.36)
        assert cell["machines"] == [{"name": "host", "price": "rack 4"}]
        assert (cell["year"], cell["because"]) == (None, "")
    (price,) = found["prices"]
    assert (price["as_of"], price["source"]) == ("2026-10-01", "contract 12")
    assert "other_machine" not in {one["key"] for one in found["remarks"]}


def test_the_price_that_is_asked_for_goes_before_the_machines_own(laboratory, campaign):
    save(laboratory, machines=[OWN, POWER], default="aws m7g.large")
    powered = by_target(costs(laboratory, campaign, price="by power"))
    assert powered["redis"]["hourly"] == pytest.approx(0.05)
    listed = costs(laboratory, campaign, price="aws c7g.xlarge")
    assert by_target(listed)["redis"]["hourly"] == pytest.approx(0.145)
    assert by_target(listed)["redis"]["currency"] == "USD"
    (remark,) = [one for one in listed["remarks"] if one["key"] == "other_machine"]
    assert "Some CPU, 4 processors, 8.0 GiB; paid as aws c7g.xlarge" in remark["words"]
    assert len(remark["sides"]) == 2


def test_what_no_price_names_has_the_default(laboratory, campaign):
    save(laboratory, machines=[OWN | {"machines": ["another"]}], default="aws m7g.large")
    assert by_target(costs(laboratory, campaign))["redis"]["machines"] == [
        {"name": "host", "price": "aws m7g.large"}
    ]


def test_a_licence_is_counted_for_its_system_alone(laboratory, campaign):
    save(laboratory, machines=[OWN], licences=[LICENCE])
    found = costs(laboratory, campaign)
    assert by_target(found)["memcached"]["hourly"] == pytest.approx(1.36)
    assert by_target(found)["redis"]["hourly"] == pytest.approx(0.36)
    assert found["licences"][0]["counted"] is True
    (left_out,) = [one for one in found["not_counted"] if one["key"] == "licence"]
    assert left_out["sides"] == [f"{campaign}~redis"]
    dollars = costs(laboratory, campaign, price="aws c6i.large")
    assert by_target(dollars)["memcached"]["hourly"] == pytest.approx(0.085)
    assert dollars["licences"][0]["counted"] is False


def test_a_year_at_a_rate_takes_whole_copies(laboratory, campaign):
    save(laboratory, machines=[OWN])
    redis = by_target(costs(laboratory, campaign, rate=1000))["redis"]
    assert redis["year"]["copies"] == 3  # about 400 a second each
    assert redis["year"]["amount"] == pytest.approx(3 * 0.36 * 8760)
    assert redis["year"]["low"] <= redis["year"]["amount"] <= redis["year"]["high"]


def test_every_cost_comes_with_what_it_leaves_out_and_with_the_caveats(laboratory, campaign):
    save(laboratory, machines=[OWN])
    found = costs(laboratory, campaign)
    keys = {one["key"] for one in found["not_counted"]}
    assert {"egress", "zones", "staff", "support", "disk", "load", "licence"} <= keys
    compared = laboratory.get("/comparisons", campaign=campaign)
    assert found["caveats"] == compared["caveats"]
    assert found["caveats"]


def test_no_verdict_hangs_on_a_price(laboratory, campaign):
    before = laboratory.get("/comparisons", campaign=campaign)
    save(laboratory, machines=[OWN | {"amount": 9999}])
    assert laboratory.get("/comparisons", campaign=campaign) == before


def test_prices_that_contradict_each_other_are_refused_by_field(laboratory):
    twice = OWN | {"basis": "hour", "watts": 3}
    answer = save(
        laboratory, 422, machines=[twice, twice], licences=[LICENCE, LICENCE], default="rack 5"
    )
    paths = {one["path"] for one in answer.json()["errors"]}
    assert paths == {
        "machines.0.name", "machines.1.name", "machines.0.watts", "machines.1.watts",
        "machines.0.machines.0", "machines.1.machines.0", "licences.0.system",
        "licences.1.system", "default",
    }  # fmt: skip
    save(laboratory, 422, machines=[OWN | {"amount": 0}])
    save(laboratory, 422, machines=[OWN | {"currency": "euro"}])
    save(laboratory, 422, machines=[POWER | {"watts": None}])


def test_nobody_writes_over_what_they_have_not_seen(laboratory):
    tag = save(laboratory, machines=[OWN]).headers["ETag"]
    save(laboratory, machines=[POWER], headers={"If-Match": tag})
    save(laboratory, 412, machines=[OWN], headers={"If-Match": tag})
    assert [one["name"] for one in laboratory.get("/prices")["machines"]] == ["by power"]


def test_a_change_of_prices_stands_in_the_audit_log(laboratory, make_client):
    save(laboratory, machines=[OWN])
    entries = make_client(*ROUTERS, identity, audit).get(
        "/api/v1/audit-entries", headers=laboratory.headers
    )
    (latest, *_) = [one for one in entries.json()["items"] if one["action"] == "prices.saved"]
    assert latest["details"]["after"]["machines"][0]["name"] == "rack 4"


def test_an_unknown_price_is_refused_with_those_there_are(laboratory, campaign):
    save(laboratory, machines=[OWN])
    answer = laboratory.client.get(
        "/api/v1/comparisons/costs", params={"campaign": campaign, "price": "rack 5"},
        headers=laboratory.headers,
    )  # fmt: skip
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("price-unknown")
    assert "own: rack 4" in answer.json()["detail"]


def test_prices_of_another_organization_are_not_seen(laboratory, make_client, tenants):
    save(laboratory, machines=[OWN])
    client = make_client(*ROUTERS)
    theirs = client.get("/api/v1/prices", headers=tenants[1].headers).json()
    assert (theirs["machines"], theirs["version"]) == ([], 0)
    answer = client.get(
        "/api/v1/prices", params={"project_id": str(tenants[0].project_id)},
        headers=tenants[1].headers,
    )  # fmt: skip
    assert answer.status_code == 404


def test_the_shipped_table_is_dated_and_says_where_it_is_from(laboratory):
    listed = laboratory.get("/prices")["listed"]
    assert len({one["name"] for one in listed}) == len(listed) > 20
    for one in listed:
        assert one["as_of"] <= "2026-06-17"
        assert one["source"].split("; ")[1].startswith("https://")
        assert one["amount"] > 0
