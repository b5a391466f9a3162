"""Rules of alerts: tried on what is stored, saved, and followed from then on."""

import pytest

from backend.tests.alerts.sown import alert_of, confirmed, noise, seeded

RULE = "/api/v1/alerts/rule"


def stepped(laboratory, campaigns, metric="throughput", factor=0.9, seed=51, target=None):
    values = 1000 * noise(seed, 60)
    values[45:] *= factor
    (series,) = seeded(laboratory, campaigns, {metric: values}, target=target)
    return series


def attempt(laboratory, **rule):
    answer = laboratory.client.post(
        "/api/v1/alerts/trial", json={"rule": rule}, headers=laboratory.headers
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def save(laboratory, version=None, headers=None, **rule):
    tag = {} if version is None else {"If-Match": f'"{version}"'}
    headers = {**(headers or laboratory.headers), **tag}
    return laboratory.client.put(RULE, json=rule, headers=headers)


def of(series, trial):
    (found,) = [one for one in trial["alerts"] if one["series_id"] == series["id"]]
    return found


def test_a_trial_says_what_would_have_been_raised_and_how_late(laboratory, campaigns):
    small = stepped(laboratory, campaigns, factor=0.95)
    large = stepped(laboratory, campaigns, factor=0.8, seed=52)
    better = stepped(laboratory, campaigns, factor=1.2, seed=53)
    every = attempt(laboratory)
    assert every["raised_count"] == every["causes_count"] >= 3
    found = of(large, every)
    (change,) = confirmed(laboratory.get(f"/series/{large['id']}"))
    assert (found["raised"], found["campaign_id"]) == (True, change["campaign_id"])
    assert 4 <= found["campaigns_late"] <= 6
    late = found["confirmed_number"] - found["campaign_number"] + 1
    assert late == found["campaigns_late"]

    fewer = attempt(laboratory, smallest_shift=0.1, direction="worse", profile="strict")
    raised = {one["series_id"] for one in fewer["alerts"] if one["raised"]}
    assert large["id"] in raised
    assert not raised & {small["id"], better["id"]}
    assert of(small, fewer)["campaigns_late"] is None
    assert fewer["raised_count"] < every["raised_count"]
    assert of(large, attempt(laboratory, metrics=["p99_us"]))["raised"] is False
    assert of(large, attempt(laboratory, systems=["memcached"]))["raised"] is False


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ({"smallest_shift": 0.01}, "smallest_shift"),
        ({"metrics": ["speed"]}, "metrics"),
        ({"metrics": []}, "metrics"),
        ({"quiet_states": ["untriaged"]}, "quiet_states[0]"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(laboratory, rule, path):
    refused = save(laboratory, **rule)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == path


def test_a_saved_rule_is_followed_from_then_on(laboratory, campaigns, tenants):
    before = stepped(laboratory, campaigns, factor=0.94, seed=61)
    assert laboratory.get("/alerts/rule")["version"] == 0
    saved = save(laboratory, version=0, smallest_shift=0.1, direction="worse")
    assert (saved.json()["version"], saved.json()["updated_by"]) == (1, "test")
    assert save(laboratory, version=0, smallest_shift=0.2).status_code == 412
    theirs = laboratory.client.get(RULE, headers=tenants[1].headers).json()
    assert theirs["version"] == 0

    assert alert_of(laboratory, before)["state"] == "untriaged", "what was told stays"
    small = stepped(laboratory, campaigns, factor=0.94, seed=62)
    (change,) = confirmed(laboratory.get(f"/series/{small['id']}"))
    assert change["alert_id"] is None, "history shows it, and nobody is told"
    large = stepped(laboratory, campaigns, factor=0.8, seed=63)
    assert alert_of(laboratory, large)["state"] == "untriaged"

    assert save(laboratory, version=1).json()["smallest_shift"] == 0.03
    again = stepped(laboratory, campaigns, factor=0.94, seed=64)
    assert alert_of(laboratory, again)["state"] == "untriaged"
    (change,) = confirmed(laboratory.get(f"/series/{small['id']}"))
    assert change["alert_id"] is None, "what was passed over is not told afterwards"
