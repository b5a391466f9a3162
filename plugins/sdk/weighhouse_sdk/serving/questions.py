"""What a plugin answers whose system is a server, of one node or of several."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.target import Topology

from weighhouse_sdk.context import Context
from weighhouse_sdk.figures import Kept
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.places import Place
from weighhouse_sdk.rebalance import Streamed
from weighhouse_sdk.wire import Address

UNTOLD = "unknown"
"""Version of a server that does not tell it, or of an image whose program does not."""


class Questions(Plugin):
    """The questions; `server.ServerPlugin` makes the verbs of the answers.

    What only describes is asked by `replies.unless_refused`: a server of somebody else's may refuse
    it, and the run goes on without.
    """

    program: ClassVar[str]
    """Executable."""
    users: ClassVar[tuple[str, ...]] = ("nobody",)
    """Whom the server becomes when the agent is root: the first that exists."""
    places: ClassVar[Mapping[str, str | None]] = {}
    """Settings that say where it listens, keeps its files and finds its peers, which every
    deployment has to change → the vendor's default; None: there is no fixed one."""
    chosen: ClassVar[Mapping[str, str | None]] = {}
    """Settings that every deployment changes for another reason → the same."""
    kept: ClassVar[Kept] = Kept()
    """What of its figures about itself is one."""
    ready_floor_seconds: ClassVar[float] = 0.0
    """How long it is given at least until it serves, however short the operator's limit is."""
    ask_seconds: ClassVar[float] = 2.0
    """How long it may take over a question before and after a run."""

    # how it is started

    @abstractmethod
    def version_of(self, text: str) -> str | None:
        """The version in what `PROGRAM --version` prints; None: that is another product."""

    @abstractmethod
    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """The command line after the program, for the parameters an experiment set. The working
        directory is the data directory; address it as `.`, for the server's user may not be able
        to walk there.
        """

    def prepare(self, parameters: Mapping[str, Scalar], place: Place) -> None:
        """Write what the server reads when it starts; most read nothing. Not called again when a
        node is brought back with its data.

        :param place: its directory is there and empty; a configuration file belongs in it.
        """

    # how it is asked

    @abstractmethod
    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """The process id that the server itself reports; None: it does not serve yet.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """

    @abstractmethod
    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """The version that a running server says it is; `UNTOLD` where it may refuse to tell.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """

    def greet(self, address: Address, timeout_seconds: float) -> None:
        """Hold that a server of somebody else's is there, is the system, and lets one in. What only
        describes it may refuse. Default: its version is asked.

        :raises OSError, NotYet: when it is not up yet: it is asked again.
        :raises ReplyError, ValueError: when it is, and cannot be used.
        """
        self.version_served(address, timeout_seconds)

    @abstractmethod
    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """The effective configuration, by the system's own names.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """

    @abstractmethod
    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The system's own metrics, by its own names, as it tells them: `kept` says what of them
        is a figure.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """

    @abstractmethod
    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """What a node uses for data, out of its metrics."""

    def records_held(self, metrics: Mapping[str, float]) -> int | None:  # noqa: ARG002 - most do not tell
        """How many records a node says it holds, out of its metrics; of copies only those that it
        answers for. Default: not told. A system that would look through its data is not asked.
        """
        return None

    def counted(self, address: Address, timeout_seconds: float) -> NodeCounts | None:
        """What a node counted of its own work since its counters began; None: it does not tell, or
        what it does is another node's doing, as on a replica.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """
        del address, timeout_seconds
        return None

    # how several nodes become one system

    def spread(self, addresses: tuple[Address, ...]) -> tuple[Address, ...]:
        """Where the nodes are to listen for clients, given a free port of its host for each; most
        take them as they are. Asked on each machine of a deployment about all nodes: the answer
        depends on nothing but the addresses.

        :raises DeployFailed: when several nodes have no room on one host.
        """
        return addresses

    def secure(self, context: Context, addresses: tuple[Address, ...]) -> tuple[Address, ...]:
        """Where clients reach the nodes, with TLS where the target asks for it; default: as they
        are. Called once for a deployment, before a node is prepared.

        :raises TargetInvalid: when the nodes cannot have it.
        """
        del context
        return addresses

    def needs_peer_port(self, topology: Topology) -> bool:
        """Whether each node listens on a second port, for other nodes or for whoever operates it:
        `Place.peer_port`.
        """
        del topology
        return False

    def peer_ends(self, place: Place) -> tuple[Address, ...]:
        """Where other nodes reach a node, besides its client address; port 0: any."""
        del place
        return ()

    def join(self, places: Sequence[Place], timeout_seconds: float) -> None:
        """Make one system of nodes that all serve; most find each other by themselves. Idempotent:
        called again for as long as it raises, and when the nodes are one system already.

        :raises OSError, ReplyError, ValueError: when one does not answer, refuses, or has not
            heard of the others yet.
        """

    def missing(self, places: Sequence[Place], timeout_seconds: float) -> str | None:
        """What is still missing until the nodes are one system that takes requests; None:
        nothing. Open ports alone are not that: ask every node whom it sees.

        :raises OSError, ReplyError, ValueError: when one does not answer.
        """
        del places, timeout_seconds
        return None

    # how a node is replaced, and how one leaves

    def forget(self, others: Sequence[Place], gone: Place, timeout_seconds: float) -> None:
        """Have the nodes that are up let go of one that has ended: it has left, or an empty one is
        about to begin in its place, which most learn from that one. Idempotent: called again for
        as long as it raises.

        :raises OSError, ReplyError, ValueError: when one does not answer, or cannot do without it
            yet.
        """

    def adopt(self, others: Sequence[Place], fresh: Place, timeout_seconds: float) -> None:
        """Make an empty node that serves a part of the system; most join by themselves.
        Idempotent: called again for as long as it raises.

        :raises OSError, ReplyError, ValueError: when one does not answer, or refuses.
        """

    def expel(self, context: Context, others: Sequence[Place], gone: Place, *, up: bool) -> None:
        """Have a node leave the system for good, with its data handed over; returns when the
        others do without it. For plugins whose manifest offers `remove`.

        :param others: the nodes that are up, without it.
        :param up: whether it is.
        :raises NotReady: when the system does not let it go.
        :raises Cancelled, DeadlinePassed: when there is no more time.
        """
        raise NotImplementedError

    def streams(self, address: Address, timeout_seconds: float) -> Sequence[Streamed]:
        """Data that a node sent to others or got from them so that each has its share: what it
        tells of that since it was started. Most do not tell.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """
        del address, timeout_seconds
        return ()
