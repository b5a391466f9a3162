"""What a build's pipeline does: curl with a token, and the command with its exit codes."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_testing.builds import RATE, SYNC_SECONDS, builds_of, paced_experiment
from weighhouse_testing.command import WEIGHHOUSE, weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.waits import until

WIDE = "50"
"""Percent: tests share their machine, so only what is far beyond noise may count here."""


def curl(platform: RunningPlatform, token: str, path: str, *arguments: str) -> dict:
    done = subprocess.run(
        [
            "curl", "-sS", "--fail-with-body", f"{platform.url}/api/v1{path}",
            "-H", f"Authorization: Bearer {token}", *arguments,
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )  # fmt: skip
    return dict(json.loads(done.stdout))


def test_curl_starts_a_campaign_polls_it_and_reads_the_verdict(platform: RunningPlatform) -> None:
    made = weighhouse(platform, "token", "create", "pipeline", "--role", "member", "--json")
    assert made.returncode == 0, made.stderr
    token = json.loads(made.stdout)["token"]
    assert token.startswith("whp_")
    platform.request(
        "POST",
        "/experiments",
        params={"upsert": "true"},
        json={"yaml": small_experiment("by-curl", repetitions=1)},
    )
    start = (
        "-X", "POST", "-H", "Content-Type: application/json", "-H", "Idempotency-Key: build-7",
        "-d", '{"experiment": "by-curl"}',
    )  # fmt: skip
    campaign = curl(platform, token, "/campaigns", *start)
    # A pipeline that repeats itself gets the same campaign, not a second one.
    assert curl(platform, token, "/campaigns", *start)["id"] == campaign["id"]
    path = f"/campaigns/{campaign['id']}"
    until(
        "the campaign ends",
        lambda: curl(platform, token, path)["status"] == "completed",
        every=0.5,
    )
    gate = curl(platform, token, f"{path}/gate")
    assert gate["verdict"] == "no_baseline"
    assert gate["exit_code"] == 2
    assert gate["link"].startswith(platform.url)


def test_a_revoked_token_is_worthless(platform: RunningPlatform) -> None:
    create = ("token", "create", "short", "--scope", "results:read", "--json")
    made = json.loads(weighhouse(platform, *create).stdout)
    assert made["scopes"] == ["results:read"]
    assert weighhouse(platform, "campaign", "list", token=made["token"]).returncode == 0
    listed = weighhouse(platform, "token", "list", "--json")
    assert made["id"] in {one["id"] for one in json.loads(listed.stdout)["items"]}
    assert weighhouse(platform, "token", "revoke", made["id"]).returncode == 0
    refused = weighhouse(platform, "campaign", "list", token=made["token"])
    assert refused.returncode == 4
    assert refused.stderr


@pytest.fixture(scope="module")
def base(
    platform: RunningPlatform, known_noise: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """An experiment that has been measured once: what a later campaign is held against. Its server
    keeps its pace by the clock, and waits for the disk for a time that is seen on any machine.
    """
    del known_noise
    folder = tmp_path_factory.mktemp("gate")
    usual, slowed = folder / "usual.yaml", folder / "slowed.yaml"
    usual.write_text(paced_experiment("gate"))
    synced = {"appendonly": True, "appendfsync": "always"}
    slowed.write_text(paced_experiment("gate", parameters=synced))
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE, sync_seconds=SYNC_SECONDS)
        done = weighhouse(platform, "run", str(usual), "--wait")
        assert done.returncode == 0, done.stdout + done.stderr
        yield folder


def test_a_repeat_passes_the_gate(platform: RunningPlatform, base: Path) -> None:
    done = weighhouse(
        platform, "run", str(base / "usual.yaml"), "--wait", "--gate", "--threshold", WIDE, "--json"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["gate"]["verdict"] in {"passed", "equivalent"}
    assert found["campaign"]["status"] == "completed"


def test_a_slowed_target_fails_the_gate(platform: RunningPlatform, base: Path) -> None:
    done = weighhouse(
        platform, "run", str(base / "slowed.yaml"), "--wait", "--gate", "--threshold", WIDE
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "regression" in done.stdout
    assert f"{platform.url}/" in done.stdout


def test_a_job_names_its_commit_and_finds_its_campaign_by_it(
    platform: RunningPlatform, tmp_path: Path
) -> None:
    file = tmp_path / "built.yaml"
    file.write_text(small_experiment("built", repetitions=1))
    commit = "4d1f" * 10
    job = {
        "GITHUB_ACTIONS": "true", "GITHUB_SHA": commit, "GITHUB_REF": "refs/heads/main",
        "GITHUB_REPOSITORY": "team/store", "GITHUB_SERVER_URL": "https://git.example",
        "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "", "GITHUB_TOKEN": "ghs_s3cret",
    }  # fmt: skip

    started = weighhouse(platform, "run", str(file), "--json", **job)
    unnamed = weighhouse(platform, "run", str(file), "--no-git", "--json", **job)

    assert started.returncode == 0, started.stderr
    git = json.loads(started.stdout)["git"]
    assert git["commit_url"] == f"https://git.example/team/store/commit/{commit}"
    assert git["branch"] == "main"
    assert json.loads(unnamed.stdout)["git"] is None
    assert (
        f"stamps commit {commit[:10]} on main, of https://git.example/team/store" in started.stderr
    )
    assert "no commit is stamped: --no-git" in unnamed.stderr
    assert "s3cret" not in started.stdout
    found = weighhouse(platform, "campaign", "list", "--commit", commit[:8], "--json")
    ids = [one["id"] for one in json.loads(found.stdout)["items"]]
    assert ids == [json.loads(started.stdout)["id"]]
    for one in (started, unnamed):
        platform.wait_for_campaign(json.loads(one.stdout)["id"])


def test_a_schedule_is_set_and_shown(platform: RunningPlatform) -> None:
    yaml = small_experiment("by-night", repetitions=1)
    platform.request("POST", "/experiments", json={"yaml": yaml})
    missing = weighhouse(platform, "experiment", "schedule", "by-night")
    assert missing.returncode == 4
    made = weighhouse(
        platform, "experiment", "schedule", "by-night", "--cron", "30 2 * * *",
        "--time-zone", "Europe/Vienna", "--overlap", "replace",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "replace" in made.stdout
    off = weighhouse(platform, "experiment", "schedule", "by-night", "--off", "--json")
    kept = json.loads(off.stdout)["schedule"]
    assert (kept["enabled"], kept["overlap"], kept["cron"]) == (False, "replace", "30 2 * * *")
    wrong = weighhouse(platform, "experiment", "schedule", "by-night", "--overlap", "both")
    assert wrong.returncode == 4
    assert "overlap" in wrong.stderr


def test_an_invalid_file_is_refused_with_the_field(
    platform: RunningPlatform, tmp_path: Path
) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(small_experiment("bad").replace("repetitions: 2", "repetitons: 2"))
    for command in ("run", "experiment validate", "experiment validate --offline"):
        done = weighhouse(platform, *command.split(), str(file))
        assert done.returncode == 4, command
        assert "repetitons" in done.stderr, command


def test_validate_counts_runs_and_estimates(platform: RunningPlatform, tmp_path: Path) -> None:
    file = tmp_path / "good.yaml"
    file.write_text(small_experiment("good", "redis", "memcached", clients=(1, 2)))
    done = weighhouse(platform, "experiment", "validate", str(file), "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)["plan"]
    assert (plan["cells"], plan["runs"]) == (4, 8)
    assert plan["estimated_seconds"] > 0


def test_a_platform_that_is_away_is_infrastructure(platform: RunningPlatform) -> None:
    done = subprocess.run(
        [WEIGHHOUSE, "campaign", "list", "--url", "http://127.0.0.1:9", "--token", "whp_x"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3
    assert "weighhouse up" in done.stderr
