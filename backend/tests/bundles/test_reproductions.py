"""Who measured a campaign again is counted by the keys that signed it, and by what it came to."""

import pytest
from pydantic import SecretStr
from weighhouse_backend.bundles.opened import opened
from weighhouse_cli.bundles import checked
from weighhouse_cli.commands.bundle import narrowed
from weighhouse_cli.exits import CommandFailed

from backend.tests.results.laboratory import experiment, steady
from backend.tests.results.reports import whole_run

from .conftest import SECRET
from .test_recomputation import rewritten

OTHER = "the secret of somebody else's installation"


def slow(order):
    """As steady, at half the speed."""
    return whole_run(seed=order["seed"] % 5, rate=100 + order["seed"] % 3)


@pytest.fixture(scope="module")
def again(laboratory):
    """The same experiment, measured again."""
    return laboratory.carry_out(experiment("bundled-again", repetitions=5), steady)


def listed(laboratory, campaign):
    return laboratory.get(f"/campaigns/{campaign}/reproductions")


def counted(found):
    return {name: found[name] for name in ("reproduced", "did_not_reproduce", "cannot_tell")}


def taken(laboratory, campaign, bundle, secret, **more):
    """A campaign's bundle, as an installation with another secret would have made it."""
    with bundle.open("rb") as file:
        original = opened(file)
    state = laboratory.client.app.state
    before = state.settings
    state.settings = before.model_copy(update={"secret_key": SecretStr(secret)})
    try:
        answer = laboratory.client.get(
            f"/api/v1/campaigns/{campaign}/bundle",
            params={
                "reproduces_manifest": original.manifest_sha256,
                "reproduces_signer": original.key_sha256,
                "reproduces_campaign": original.manifest.campaign_id,
                **more,
            },
            headers=laboratory.headers,
        )
    finally:
        state.settings = before
    assert answer.status_code == 200, answer.text
    return answer.content


def brought(laboratory, campaign, content):
    return laboratory.client.post(
        f"/api/v1/campaigns/{campaign}/reproductions",
        content=content,
        headers={**laboratory.headers, "Content-Type": "application/x-tar"},
    )


def test_another_installations_bundle_counts_once(laboratory, campaign, bundle, again):
    content = taken(laboratory, again, bundle, OTHER)
    for _ in range(2):
        answer = brought(laboratory, campaign, content)
        assert answer.status_code == 201, answer.text
    told = answer.json()
    assert told["outcome"] == "reproduced", told
    assert told["same_machines"] is True
    assert told["own_key"] is False
    assert [one["outcome"] for one in told["cells"]] == ["reproduced"] * 2
    found = listed(laboratory, campaign)
    assert counted(found) == {"reproduced": 1, "did_not_reproduce": 0, "cannot_tell": 0}
    assert [one["manifest_sha256"] for one in found["items"]] == [told["manifest_sha256"]]


def test_ones_own_key_counts_for_nobody(laboratory, campaign, bundle, again):
    before = counted(listed(laboratory, campaign))
    answer = brought(laboratory, campaign, taken(laboratory, again, bundle, SECRET))
    assert answer.status_code == 201, answer.text
    assert answer.json()["own_key"] is True
    assert counted(listed(laboratory, campaign)) == before


def test_one_that_was_slowed_did_not_reproduce(laboratory, campaign, bundle):
    slowed = laboratory.carry_out(experiment("bundled-slow", repetitions=5), slow)
    secret = "the secret of a third installation"
    answer = brought(laboratory, campaign, taken(laboratory, slowed, bundle, secret))
    assert answer.status_code == 201, answer.text
    told = answer.json()
    assert told["outcome"] == "did_not_reproduce", told
    assert all(one["relative"] < -0.4 for one in told["cells"])
    found = listed(laboratory, campaign)
    assert found["did_not_reproduce"] == 1
    address = f"/api/v1/campaigns/{campaign}/reproductions/{told['manifest_sha256']}"
    for status in (204, 404):
        gone = laboratory.client.delete(address, headers=laboratory.headers)
        assert gone.status_code == status, gone.text
    assert listed(laboratory, campaign)["did_not_reproduce"] == 0


def test_a_tampered_one_is_refused(laboratory, campaign, bundle, again, tmp_path):
    content = bytearray(taken(laboratory, again, bundle, "a fourth installation's secret"))
    content[len(content) // 2] ^= 1
    before = listed(laboratory, campaign)
    answer = brought(laboratory, campaign, bytes(content))
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("/bundle-refused")
    assert listed(laboratory, campaign) == before


@pytest.mark.parametrize("content", [b"", b"x", bytes(4096)])
def test_what_is_no_bundle_is_refused(laboratory, campaign, content):
    assert brought(laboratory, campaign, content).status_code == 422


def test_one_that_lies_of_its_histograms_is_refused(laboratory, campaign, bundle, again, tmp_path):
    kept = tmp_path / "again.bundle.tar"
    kept.write_bytes(taken(laboratory, again, bundle, OTHER))

    def nobody_found(path, text):
        return text.replace(b'"p99_us":', b'"p99_us":1') if "summaries" in path else text

    lie = rewritten(kept, nobody_found, secret=OTHER).read()
    answer = brought(laboratory, campaign, lie)
    assert answer.status_code == 422
    assert "p99_us is told as" in answer.json()["detail"]


def test_the_bundle_itself_measured_nothing_again(laboratory, campaign, bundle):
    answer = brought(laboratory, campaign, bundle.read_bytes())
    assert answer.status_code == 422
    assert "does not say which bundle" in answer.json()["detail"]


def test_keys_are_told(laboratory):
    told = laboratory.get("/bundles/keys")
    assert told["former"] == []
    assert told["present"]["pem"].startswith("-----BEGIN PUBLIC KEY-----")


def test_what_the_command_asks_for_is_the_same_experiment_of_fewer_cells(laboratory, tmp_path):
    """What `weighhouse reproduce --cells` sends is taken, and comes to two cells."""
    document = experiment("bundled-wide", repetitions=5)
    document["load_levels"] += [{"model": "closed", "clients": 8}]
    campaign = laboratory.carry_out(document, steady)
    answer = laboratory.client.get(
        f"/api/v1/campaigns/{campaign}/bundle", headers=laboratory.headers
    )
    kept = tmp_path / "wide.bundle.tar"
    kept.write_bytes(answer.content)
    with checked(kept) as original:
        assert not original.differs
        asked = narrowed(original, ["balanced~8 clients"])
        with pytest.raises(CommandFailed, match="balanced~4 clients"):
            narrowed(original, ["balanced~9 clients"])
    saved = laboratory.client.post(
        "/api/v1/experiments",
        params={"upsert": True},
        json={"document": asked},
        headers=laboratory.headers,
    )
    assert saved.status_code == 201, saved.text
    started = laboratory.client.post(
        "/api/v1/campaigns",
        json={"experiment_id": saved.json()["id"], "base": "none"},
        headers=laboratory.headers,
    )
    assert started.status_code == 201, started.text
    made = started.json()
    assert made["runs"]["total"] == 10
    again = laboratory.client.get(f"/api/v1/campaigns/{made['id']}", headers=laboratory.headers)
    assert {one["load_level"]["label"] for one in again.json()["cells"]} == {"8 clients"}
