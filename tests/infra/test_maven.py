"""infra/build/maven.sh: what is there or named is taken, what fails leaves nothing."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = "infra/build/maven.sh"
VARIABLES = {
    "rocksdb": "ROCKSDB_LIB_DIR",
    "cassandra": "WEIGHHOUSE_CASSANDRA",
    "cassandra-stress": "CASSANDRA_STRESS_HOME",
    "mongo-stand-in": "WEIGHHOUSE_MONGO_STAND_IN",
    "s3proxy": "WEIGHHOUSE_S3PROXY",
    "ycsb": "WEIGHHOUSE_YCSB",
}
HOLDS = {
    "rocksdb": "librocksdb.so", "cassandra": "lib", "cassandra-stress": "tools",
    "mongo-stand-in": "classes", "s3proxy": "s3proxy.jar", "ycsb": "lib",
}  # fmt: skip
FAKE_MAVEN = "#!/bin/bash\necho '[ERROR] there is no network'\nexit 1\n"


def sourced(name: str, cache: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Source it in a fresh shell; standard output is what it exports."""
    environment = {key: text for key, text in os.environ.items() if key not in VARIABLES.values()}
    return subprocess.run(
        ["bash", "-c", f'. {SCRIPT} {name} || exit $?; echo "${VARIABLES[name]}"'],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**environment, "WEIGHHOUSE_CACHE": str(cache), **more},
    )  # fmt: skip


@pytest.fixture
def broken(tmp_path: Path) -> dict[str, str]:
    """A PATH on which Maven fails."""
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir()
    program.write_text(FAKE_MAVEN, encoding="utf-8")
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize("name", VARIABLES)
def test_a_failure_says_why_and_leaves_nothing(
    name: str, tmp_path: Path, broken: dict[str, str]
) -> None:
    cache = tmp_path / "cache"
    done = sourced(name, cache, **broken)
    assert done.returncode == 1
    assert "there is no network" in done.stderr
    assert "Maven could not get" in done.stderr
    assert [path for path in cache.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", VARIABLES)
def test_what_is_there_is_taken_without_maven(
    name: str, tmp_path: Path, broken: dict[str, str]
) -> None:
    cache = tmp_path / "cache"
    missing = sourced(name, cache, **broken)
    # Its own folder is not known here; the message of a folder without its content names it.
    folder = next(path for path in cache.iterdir() if path.is_dir())
    assert missing.returncode == 1
    for place in versions(name):
        (folder / place / HOLDS[name]).mkdir(parents=True)
    done = sourced(name, cache, **broken)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert Path(done.stdout.strip()).parent == folder


def versions(name: str) -> list[str]:
    """Names of folders in the cache as they were before the scripts became one."""
    return {
        "rocksdb": ["11.8.1"],
        "cassandra": ["5.0.9"],
        "cassandra-stress": ["4.0-alpha2"],
        "mongo-stand-in": [f"1.47.0-{digest('engine/testkit/stand-in/MongoStandIn.java')}"],
        "s3proxy": ["2.6.0"],
        "ycsb": [f"0.17.0-{digest('plugins/ycsb/tests/stand-in/RedisClient.java')}"],
    }[name]


def digest(source: str) -> str:
    done = subprocess.run(
        ["sha256sum", source], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout[:12]


@pytest.mark.parametrize("name", [each for each in VARIABLES if each != "rocksdb"])
def test_what_the_environment_names_is_taken(
    name: str, tmp_path: Path, broken: dict[str, str]
) -> None:
    done = sourced(
        name, tmp_path / "cache", **broken, **{VARIABLES[name]: "/opt/of-another-origin"}
    )
    assert (done.returncode, done.stdout) == (0, "/opt/of-another-origin\n")


def test_an_unknown_name_is_refused_and_no_name_is_asked_for() -> None:
    for words, status in ((["nothing"], 1), ([], 2)):
        done = subprocess.run([ROOT / SCRIPT, *words], capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert done.stderr.startswith("weighhouse: ")
