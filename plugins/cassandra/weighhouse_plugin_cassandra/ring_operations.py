"""What whoever operates a ring does to it: nodes leave, and data goes from node to node."""

import math
import shutil
from collections.abc import Sequence
from uuid import UUID

from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import BinaryMissing, DeployFailed, NotReady
from weighhouse_sdk.families.cql import Row, rows
from weighhouse_sdk.machine.process import Command
from weighhouse_sdk.places import ELSEWHERE, Place
from weighhouse_sdk.rebalance import Streamed
from weighhouse_sdk.wire import Address, ReplyError

from weighhouse_plugin_cassandra import home

LOCALHOST = "127.0.0.1"
"""Where Cassandra's own start script has it listen for `nodetool`."""
US_PER_MS = 1000
WAIT_SECONDS = 0.2
PAUSE_SECONDS = 5.0
"""Between two questions whether the ring has noticed that a node is dead: each starts a Java
machine, which takes processor time from what is measured."""
LINES = 100
ALIVE = "is alive and owns this ID"
# Bytes as the two sides agree on them before the first is sent. On 5.0.9 `bytes_received` counts
# what has come of a file anew at each progress (600,858 of 51,934), and `bytes_to_receive` stays 0
# where the sender begins.
STREAMS = (
    "SELECT id, status, status_init_timestamp, status_start_timestamp, status_success_timestamp, "
    "status_failure_timestamp, bytes_to_send FROM system_views.streaming"
)


def options(place: Place) -> tuple[str, ...]:
    """Options of Java by which a node listens for `nodetool`, on the loopback interface alone."""
    port = place.peer_port
    return () if port is None else (f"-Dcassandra.jmx.local.port={port}",)


def decommission(context: Context, place: Place) -> None:
    """Have a node hand its data over and leave. That the ring keeps enough nodes for its copies
    was held against the experiment; Cassandra's own check counts keyspaces of the system.

    :raises NotReady: when it does not.
    :raises Cancelled, DeadlinePassed: when there is no more time.
    """
    nodetool(context, place, "decommission", "--force")


def remove_dead(
    context: Context, others: Sequence[Place], gone: Place, own: str, ask_seconds: float
) -> None:
    """Have the ring do without a node that has ended; waits until it has noticed that.

    :param own: what its peers know it by.
    :raises DeployFailed: when no other node is on this machine.
    :raises NotReady: when the ring does not.
    :raises Cancelled, DeadlinePassed: when there is no more time.
    """
    here = next((each for each in others if each.directory != ELSEWHERE), None)
    if here is None:
        raise DeployFailed(
            f"node {gone.number} has ended, and no other node of this machine is up",
            "remove it while it is up",
        )
    identity = _host_id(here, own, ask_seconds)
    for _ in context.attempts(math.inf, every_seconds=PAUSE_SECONDS):
        try:
            nodetool(context, here, "removenode", str(identity))
        except NotReady as error:
            if ALIVE not in error.message:
                raise
            continue
        return


def _host_id(place: Place, peer: str, ask_seconds: float) -> UUID:
    question = f"SELECT host_id FROM system.peers WHERE peer = '{peer}'"  # noqa: S608 - an address of ours
    try:
        (found,) = rows(place.address, ask_seconds, question)
    except (OSError, ReplyError) as error:
        raise NotReady(
            f"node {place.number} does not answer: {error}", "start it before"
        ) from error
    if not found:
        raise NotReady(f"node {place.number} does not know {peer}", "it may have left already")
    return UUID(hex=str(found[0]["host_id"]))


def nodetool(context: Context, place: Place, *words: str) -> None:
    """Run Cassandra's own tool on a node of this machine, and wait for its end.

    :raises NotReady: when it fails, with what it says.
    :raises Cancelled, DeadlinePassed: when there is no more time; it is ended then.
    """
    java = shutil.which("java", path=context.options.search_path)
    if java is None:
        raise BinaryMissing("java", "openjdk-17-jre-headless")
    folder, _ = home.find()
    command = Command(
        name=f"nodetool-{place.number}-{words[0]}",
        arguments=(
            java,
            f"@{home.JAVA_OPTIONS}",
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            f"-Dcassandra.config=file:{place.directory}/cassandra.yaml",
            f"-Dlogback.configurationFile={place.directory}/logback.xml",
            "-Dcassandra.storagedir=.",
            "-Duser.home=.",
            "-cp",
            f"{folder}/lib/*",
            "org.apache.cassandra.tools.NodeTool",
            *("-h", LOCALHOST, "-p", str(place.peer_port)),
            *words,
        ),
        directory=context.scratch_directory / "nodetool",
        cpus=context.options.server_cpus,
    )
    process = context.processes.start(command)
    try:
        while (code := process.wait(WAIT_SECONDS)) is None:
            context.check()
    finally:
        process.stop(grace_seconds=0)
    if code:
        # What it says stands above the stack of its Java machine.
        said = [line for line in process.log_tail(LINES) if not line.startswith("\tat ")][-5:]
        raise NotReady(
            f"nodetool {words[0]} at node {place.number} ended with {code}: {' '.join(said)}",
            "the nodes' logs tell more",
            said,
        )


def streams(address: Address, timeout_seconds: float) -> list[Streamed]:
    """The transfers that a node knows of: those of the last three days, since it was started.

    :raises ReplyError, OSError: as `cql.rows`.
    """
    (found,) = rows(address, timeout_seconds, STREAMS)
    return [each for row in found if (each := _streamed(row)) is not None]


def _streamed(row: Row) -> Streamed | None:
    begun, start = row["status_init_timestamp"], row["status_start_timestamp"]
    begun = begun if isinstance(begun, int) else start
    if not isinstance(begun, int):
        return None
    ends = [row["status_success_timestamp"], row["status_failure_timestamp"]]
    ended = next((each for each in ends if isinstance(each, int)), None)
    return Streamed(
        str(row["id"]),
        begun * US_PER_MS,
        None if ended is None else ended * US_PER_MS,
        _bytes(row["bytes_to_send"]),
        failed=row["status"] == "failure",
    )


def _bytes(value: object) -> int:
    return value if isinstance(value, int) else 0
