"""One program under two commits is told, for what differs is no build's; two programs are not.
Under two versions it is no comparison.
"""

import hashlib
import shutil
from pathlib import Path
from typing import Any

from weighhouse_testing.builds import RATE, builds_of, paced_experiment
from weighhouse_testing.platform import RunningPlatform

COMMITS = ("a1" * 20, "b2" * 20)


def run_of(platform: RunningPlatform, text: str, commit: str) -> dict[str, Any]:
    stored = platform.request(
        "POST", "/experiments", params={"upsert": "true"}, json={"yaml": text}
    )
    asked = {"experiment_id": stored["id"], "git": {"commit": commit}}
    started = platform.request("POST", "/campaigns", json=asked)
    return platform.wait_for_campaign(started["id"])


def test_one_program_under_two_commits_or_versions_is_told(platform: RunningPlatform) -> None:
    text = paced_experiment("one-program", repetitions=1)
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE)
        first = run_of(platform, text, COMMITS[0])
        second = run_of(platform, text, COMMITS[1])
        base = {"base": f"campaign:{first['id']}"}
        gate = platform.request("GET", f"/campaigns/{second['id']}/gate", params=base)
        assert gate["verdict"] != "not_comparable", "a commit may change no program"
        assert "Both commits ran the same program with the same settings" in gate["message"]
        ((listed,),) = (cell["runs"] for cell in second["cells"])
        run = platform.request("GET", f"/runs/{listed['id']}")
        ran = {one["role"]: one for one in run["target"]["programs"]}
        real = Path(str(shutil.which("redis-server"))).resolve()
        assert ran["system"]["sha256"] == hashlib.sha256(real.read_bytes()).hexdigest()
        assert ran["driver"]["name"] == "weighhouse-driver-resp"
        sides = [f"{first['id']}~redis", f"{second['id']}~redis"]
        compared = platform.request("GET", "/comparisons", params={"side": sides})
        (said,) = (
            one
            for one in compared["caveats"]
            if one["title"] == "The same program under two versions"
        )
        assert said["severity"] == "caution"
        builds.call("7.9.9")
        renamed = run_of(platform, text, COMMITS[0])
        gate = platform.request("GET", f"/campaigns/{renamed['id']}/gate", params=base)
        assert gate["verdict"] == "not_comparable", gate
        assert "program" in gate["message"]
        sides = [f"{first['id']}~redis", f"{renamed['id']}~redis"]
        compared = platform.request("GET", "/comparisons", params={"side": sides})
        assert "7.9.9" in {one["version"] for one in compared["sides"]}
        (said,) = (
            one
            for one in compared["caveats"]
            if one["title"] == "The same program under two versions"
        )
        assert said["severity"] == "bar"
        builds.use(2 * RATE)
        other = run_of(platform, text, COMMITS[1])
        gate = platform.request("GET", f"/campaigns/{other['id']}/gate", params=base)
        assert gate["verdict"] != "not_comparable", gate
        assert "the same program" not in gate["message"]
