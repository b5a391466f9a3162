"""What mends an error, by its kind and by the words that a system has for its cause. Pure.

One cause, one line: what the server said decides where it says enough, else the kind does.
"""

from collections.abc import Iterable

from weighhouse_protocol.causes import Cause, hint_among

ELSE = "Look at the server's log."

BY_KIND = {
    "refused": "The server does not take it: it may be a replica or read-only, or the account may "
    "lack the right. Mend that, or name another endpoint or account.",
    "full": "The server has no room: give it more memory or storage, let it evict, or load fewer "
    "or smaller records.",
    "too_large": "The server takes no records of this size: make them smaller, or raise its limit.",
    "unavailable": "The server or its cluster cannot serve yet, or not any more: begin once all "
    "nodes are there.",
    "server_busy": "The server was asked for more than it takes: ask for less.",
    "timeout": "The server did not answer in time: look at its log, and at `timeout_ms`.",
    "no_ports": "The driver's machine has no port left for another connection to this address: "
    "closed ones keep theirs for a minute (TIME_WAIT). Ask for fewer operations a second or raise "
    "`reconnect_every`, spread the load over more machines, or widen "
    "`net.ipv4.ip_local_port_range`.",
    "connection": "Connections were refused or lost: look at the server's log and its limits.",
    "protocol": "What came was no answer that the driver knows: is it the system that the target "
    "names?",
}


def hint_of(kind: str, words: str | None, causes: Iterable[Cause] = ()) -> str:
    """What mends it: the cause that the words name, else what helps with the kind.

    :param causes: of the system's manifest; none of one from before it had any.
    """
    return hint_among(causes, words or "") or BY_KIND.get(kind, ELSE)
