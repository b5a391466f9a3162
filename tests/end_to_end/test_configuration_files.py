"""From a configuration file to a run that has its settings, and the page that tells them."""

import os
import subprocess
import sys
from pathlib import Path

import yaml
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

FILES = {
    "redis.conf": "port 7000\nmaxmemory 96mb\nmaxclients 333\ntimeout 77\nrequirepass hush\n",
    "memcached.conf": "-d\n-m 96\n-l 10.0.0.7\n-o idle_timeout=77,no_lru_crawler\n-b 99\n",
}
TOLD = {
    "redis": {"maxmemory": str(96 * 2**20), "maxclients": "333", "timeout": "77"},
    "memcached": {
        "maxbytes": str(96 * 2**20),
        "idle_timeout": "77",
        "lru_crawler": "no",
        "tcp_backlog": "99",
    },
}


def target_from(platform: RunningPlatform, file: Path) -> tuple[list[dict], str]:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("weighhouse")), "target", "from", str(file)],
        env={**os.environ, "WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return yaml.safe_load(done.stdout), done.stderr


def test_files_are_weighed_as_they_are(platform: RunningPlatform, tmp_path: Path) -> None:
    targets, words = [], ""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        found, said = target_from(platform, tmp_path / name)
        targets += found
        words += said
    assert "redis.conf:5: requirepass is never taken" in words
    assert "memcached.conf:3: listen is set by the agent" in words
    assert "hush" not in words + str(targets)
    document = yaml.safe_load(small_experiment("from-files", "redis", "memcached", repetitions=1))
    document["targets"] = targets

    started = platform.start_campaign(yaml.safe_dump(document))
    campaign = platform.wait_for_campaign(started["id"])

    for cell in campaign["cells"]:
        run = platform.request("GET", f"/runs/{cell['runs'][0]['id']}")
        assert run["status"] == "completed", run["failure"]
        settings = {one["name"]: one for one in run["target"]["effective_configuration"]}
        wanted = TOLD[cell["target"]]
        assert {name: settings[name]["value"] for name in wanted} == wanted
        assert {settings[name]["source"] for name in wanted} == {"experiment"}


def test_a_setting_that_is_not_listed_is_refused_by_the_agent(platform: RunningPlatform) -> None:
    document = yaml.safe_load(small_experiment("unlisted", "redis", repetitions=1))
    document["targets"][0]["settings"] = {"propagation-error-behavior": "ignore"}

    started = platform.start_campaign(yaml.safe_dump(document))
    campaign = platform.wait_for_campaign(started["id"])

    run = platform.request("GET", f"/runs/{campaign['cells'][0]['runs'][0]['id']}")
    assert run["failure"]["kind"] == "policy"
    assert "the setting `propagation-error-behavior`" in run["failure"]["message"]
