"""Finds cassandra-stress: a folder with `tools/lib/stress.jar` and `lib`."""

import os
import re
from pathlib import Path

from weighhouse_sdk.errors import BinaryMissing

HINT = (
    "unpack Cassandra's archive and name its folder by CASSANDRA_STRESS_HOME, "
    "or run infra/build/maven.sh cassandra-stress"
)
JAR = re.compile(r"^apache-cassandra-(\d+\.\d+\S*)\.jar$")


def home() -> tuple[Path, str]:
    """The folder, and the version of Cassandra that it is of.

    :raises BinaryMissing: with where to get it.
    """
    named = [os.environ.get(name) for name in ("CASSANDRA_STRESS_HOME", "CASSANDRA_HOME")]
    cache = Path(os.environ.get("WEIGHHOUSE_CACHE") or Path.home() / ".cache" / "weighhouse")
    kept = sorted((cache / "cassandra-stress").glob("*"), reverse=True)
    for place in [*(Path(each) for each in named if each), *kept]:
        if not (place / "tools" / "lib" / "stress.jar").is_file():
            continue
        for jar in sorted((place / "lib").glob("apache-cassandra-*.jar")):
            if (found := JAR.match(jar.name)) is not None:
                return place, found.group(1)
    raise BinaryMissing("cassandra-stress", hint=HINT)


def class_path(place: Path) -> str:
    """What Java needs. The newest HdrHistogram comes first: that of Cassandra 4.0 and older uses a
    class which Java lost with version 11.
    """
    histograms = sorted((place / "lib").glob("HdrHistogram-*.jar"), key=_number, reverse=True)
    parts = [*histograms, place / "tools" / "lib" / "stress.jar", place / "lib" / "*"]
    return os.pathsep.join([str(place / "conf"), *map(str, parts)])


def _number(jar: Path) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", jar.stem)]
