"""One program under two commits is no comparison of builds; two programs are."""

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


def test_one_program_under_two_commits_is_refused_by_name(platform: RunningPlatform) -> None:
    text = paced_experiment("one-program", repetitions=1)
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE)
        first = run_of(platform, text, COMMITS[0])
        second = run_of(platform, text, COMMITS[1])
        base = {"base": f"campaign:{first['id']}"}
        gate = platform.request("GET", f"/campaigns/{second['id']}/gate", params=base)
        assert (gate["verdict"], gate["exit_code"]) == ("not_comparable", 4)
        (told,) = gate["mismatches"]
        assert (told["field"], told["base"]) == ("program", f"commit {COMMITS[0][:10]}")
        assert told["candidate"].startswith(f"commit {COMMITS[1][:10]}, which is the same program")
        ((listed,),) = (cell["runs"] for cell in second["cells"])
        run = platform.request("GET", f"/runs/{listed['id']}")
        ran = {one["role"]: one for one in run["target"]["programs"]}
        real = Path(str(shutil.which("redis-server"))).resolve()
        assert ran["system"]["sha256"] == hashlib.sha256(real.read_bytes()).hexdigest()
        assert ran["system"]["sha256"][:12] in told["candidate"]
        assert ran["driver"]["name"] == "weighhouse-driver-resp"
        sides = [f"{first['id']}~redis", f"{second['id']}~redis"]
        compared = platform.request("GET", "/comparisons", params={"side": sides})
        bars = {one["title"] for one in compared["caveats"] if one["severity"] == "bar"}
        assert "The same program under two versions" in bars
        builds.use(2 * RATE)
        third = run_of(platform, text, COMMITS[1])
        gate = platform.request("GET", f"/campaigns/{third['id']}/gate", params=base)
        assert gate["verdict"] != "not_comparable", gate["mismatches"]
