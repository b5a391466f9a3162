"""YCSB's six workloads, as property files, on three systems: from the files to the run's page."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.tree import REPOSITORY

COMMON = "recordcount=300\noperationcount=400\nworkload=site.ycsb.workloads.CoreWorkload\n"
SHARES = {
    "workloada": "readproportion=0.5\nupdateproportion=0.5\nscanproportion=0\ninsertproportion=0\n",
    "workloadb": "readproportion=0.95\nupdateproportion=0.05\nscanproportion=0\n",
    "workloadc": "readproportion=1\nupdateproportion=0\nscanproportion=0\ninsertproportion=0\n",
    "workloadd": "readproportion=0.95\nupdateproportion=0\ninsertproportion=0.05\n",
    "workloade": "readproportion=0\nupdateproportion=0\nscanproportion=0.95\n"
    "insertproportion=0.05\nmaxscanlength=100\nscanlengthdistribution=uniform\n",
    "workloadf": "readproportion=0.5\nupdateproportion=0\nscanproportion=0\n"
    "insertproportion=0\nreadmodifywriteproportion=0.5\n",
}
EXPECTED = {
    "workloada": {"read", "update"},
    "workloadb": {"read", "update"},
    "workloadc": {"read"},
    "workloadd": {"read", "insert"},
    "workloade": {"scan", "insert"},
    "workloadf": {"read", "read_modify_write"},
}


def write_files(folder: Path, chosen_workloads: str) -> list[str]:
    """Files with the properties and values that YCSB's own have, by their last letters."""
    names = []
    for name, shares in SHARES.items():
        if name[-1] not in chosen_workloads:
            continue
        chosen = "latest" if name == "workloadd" else "zipfian"
        path = folder / name
        path.write_text(
            f"# {name}\n{COMMON}readallfields=true\n{shares}requestdistribution={chosen}\n"
        )
        names.append(str(path))
    return names


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("weighhouse")), "ycsb", *arguments],
        cwd=REPOSITORY,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("systems", "workloads"),
    # Cassandra takes long to start; these have all of its statements but the delete.
    [(("redis", "rocksdb"), "abcdef"), (("cassandra",), "ef")],
)
def test_files_are_weighed(
    platform: RunningPlatform, tmp_path: Path, systems: tuple[str, ...], workloads: str
) -> None:
    chosen = [word for system in systems for word in ("--system", system)]
    done = command(
        *write_files(tmp_path, workloads), *chosen, "--repetitions", "1", "--threads", "4",
        "--slug", "ycsb-" + "-".join(systems),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = yaml.safe_load(done.stdout)
    for target in document["targets"]:
        if target["system"] == "cassandra":
            target["parameters"] = {"heap_mebibytes": 256, "garbage_collector": "serial"}
    started = platform.start_campaign(yaml.safe_dump(document))
    campaign = platform.wait_for_campaign(started["id"])
    assert campaign["status"] == "completed"
    seen = {}
    for cell in campaign["cells"]:
        (run,) = cell["runs"]
        assert run["status"] == "completed", run
        drawn = platform.request("GET", f"/runs/{run['id']}/series")
        found = {name for name in drawn["operations"] if name != "all"}
        measured = EXPECTED[cell["workload"]]
        assert measured <= found <= measured | {"insert"}, cell
        seen[cell["target"], cell["workload"]] = found
    assert len(seen) == len(workloads) * len(systems)


def test_what_has_no_effect_is_told_and_what_cannot_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.properties"
    path.write_text(f"{COMMON}db=site.ycsb.db.RedisClient\nreadpropotion=1\n")
    done = command(str(path), "--system", "redis")
    assert done.returncode == 0
    assert "odd.properties:4: db has no effect" in done.stderr
    assert "did you mean readproportion?" in done.stderr
    path.write_text("workload=site.ycsb.workloads.TimeSeriesWorkload\nrecordcount=5\n")
    done = command(str(path), "--system", "redis")
    assert done.returncode == 4
    assert "below one data point for each of the 640 series" in done.stderr
    assert "operationcount" in done.stderr
    path.write_text(f"{COMMON}exporter=x\ncassandra.readconsistencylevel=ONE\n")
    done = command(str(path), "--system", "redis")
    assert done.returncode == 4
    assert "odd.properties:4: exporter has no effect" in done.stderr
    assert "odd.properties:5: cassandra.readconsistencylevel" in done.stderr
    left = ("--leave-out", "cassandra.*")
    assert command(str(path), "--system", "redis", *left).returncode == 0
    path.write_text(f"{COMMON}workload=site.ycsb.workloads.RestWorkload\n")
    done = command(str(path), "--system", "redis")
    assert done.returncode == 4
    assert "RestWorkload is not carried out" in done.stderr
