"""Where Cassandra is on this machine, and how its Java machine is started."""

import os
import re
from pathlib import Path

from weighhouse_sdk.errors import DeployFailed

JAVA_OPTIONS = Path(__file__).with_name("java17.options")
"""What Cassandra needs of Java 17: its own conf/jvm17-server.options says the same."""
SERVER_JAR = re.compile(r"^(?:apache-cassandra|cassandra-all)-(\d[\w.~-]*)\.jar$")
HINT = (
    "unpack Cassandra and name the folder that has `lib` by CASSANDRA_HOME, "
    "or run infra/build/maven.sh cassandra"
)


def places() -> list[Path]:
    """Folders that may hold Cassandra, the first that does is taken."""
    named = [os.environ.get(name, "") for name in ("WEIGHHOUSE_CASSANDRA", "CASSANDRA_HOME")]
    cache = Path(os.environ.get("WEIGHHOUSE_CACHE") or Path.home() / ".cache" / "weighhouse")
    kept = sorted((cache / "cassandra").glob("*/lib"), reverse=True)
    return [*(Path(name) for name in named if name), *(path.parent for path in kept)]


def find() -> tuple[Path, str]:
    """The folder and the version of the Cassandra to be run.

    :raises DeployFailed: when there is none.
    """
    for place in places():
        for jar in sorted((place / "lib").glob("*.jar")):
            found = SERVER_JAR.match(jar.name)
            if found:
                return place, found.group(1)
    raise DeployFailed("Cassandra is not on this machine", HINT)


def heap_mebibytes(memory_bytes: int) -> int:
    """The heap that Cassandra's own start script takes for a machine.

    The larger of half the memory up to 1 GiB and a quarter of it up to 8 GiB
    (conf/cassandra-env.sh, calculate_heap_sizes).
    """
    memory = memory_bytes // 2**20
    return max(min(memory // 2, 1024), min(memory // 4, 8192))
