"""One run's figures in every place that tells them."""

import json
import math
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from weighhouse_protocol.digits import number

from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform

FIGURES = ("throughput", "p50_us", "p95_us", "p99_us")


@dataclass(frozen=True)
class Told:
    """The one run of a campaign."""

    platform: RunningPlatform
    campaign: dict[str, Any]
    run: dict[str, Any]

    @property
    def every(self) -> dict[str, Any]:
        """The figures of all operations, as the run's page has them."""
        found: dict[str, Any] = self.run["summary"]["operations"]["all"]
        return found

    @property
    def findings(self) -> dict[str, dict[str, Any]]:
        """By their ids."""
        return {each["id"]: each for each in self.run["findings"]}

    def read(self, part: str) -> Any:
        """A part of what there is of the run: `series`, `scenario` …"""
        return self.platform.request("GET", f"/runs/{self.run['id']}/{part}")

    def alike(self) -> None:
        """Comparison, History, export and command line tell the page's figures, and no others."""
        page = {name: self.every[name] for name in FIGURES}
        page["throughput"] = self.run["summary"]["throughput"]
        for place, figures in self._elsewhere().items():
            for name, value in figures.items():
                assert value == pytest.approx(page[name], rel=1e-6), (place, name)

    def _elsewhere(self) -> dict[str, dict[str, float]]:
        of = {"campaign": self.campaign["id"]}
        (cell,) = self.platform.request("GET", "/comparisons", params=of)["cells"]
        lines = self.platform.request("GET", "/series", params={"limit": 200})["items"]
        history = {}
        for line in lines:
            if line["experiment"]["name"] == self.campaign["experiment"]["name"]:
                points = self.platform.request("GET", f"/series/{line['id']}")["points"]
                mine = {point["campaign_id"]: point["value"] for point in points}
                history[line["metric"]] = mine[self.campaign["id"]]
        watched = weighhouse(self.platform, "campaign", "watch", self.campaign["id"])
        for name, unit in (("throughput", "op/s"), ("p99_us", "µs")):
            assert f"{number(cell[name]['median'])} {unit}" in watched.stdout, name
        said = weighhouse(self.platform, "histogram", self.run["id"], "--format", "json")
        assert said.returncode == 0, said.stderr
        return {
            "comparison": {name: cell[name]["median"] for name in FIGURES},
            "history": {name: history[name] for name in FIGURES if name in history},
            "export": percentiles(self.read("histogram")),
            "command line": percentiles(json.loads(said.stdout)),
        }


def percentiles(histogram: dict[str, Any]) -> dict[str, float]:
    """Of an exported histogram: the upper end of the bucket that the rank falls into."""
    found = {}
    for name, share in (("p50_us", 0.5), ("p95_us", 0.95), ("p99_us", 0.99)):
        rank, seen = max(1, math.ceil(share * histogram["total"] - 1e-9)), 0
        for end, count in zip(histogram["buckets_us"], histogram["counts"], strict=True):
            seen += count
            if seen >= rank:
                found[name] = end
                break
    return found


def measured(platform: RunningPlatform, document: dict[str, Any]) -> Told:
    """Run an experiment of one run to its end."""
    started = platform.start_campaign(yaml.safe_dump(document, sort_keys=False))
    campaign = platform.wait_for_campaign(started["id"])
    ((run,),) = [cell["runs"] for cell in campaign["cells"]]
    return Told(platform, campaign, platform.request("GET", f"/runs/{run['id']}"))
