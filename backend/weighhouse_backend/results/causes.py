"""What mends an error, by its kind and by the words that a system has for its cause. Pure.

One cause, one line: what the server said decides where it says enough, else the kind does.
"""

ELSE = "Look at the server's log."

SECONDARY = "It is a secondary: name the primary, or the whole replica set."
BY_WORD = {
    "READONLY": "It is a replica: name the primary's endpoint.",
    "NotWritablePrimary": SECONDARY,
    "not primary": SECONDARY,
    "NOPERM": "The account lacks the right: the system's page says which rights are needed.",
    "NOAUTH": "It wants an account: name `credentials` that the agent's policy keeps.",
    "WRONGPASS": "It does not know the account or its password: mend them in the agent's policy.",
    "MISCONF": "It cannot write its snapshots, and takes no writes until it can: look at its log "
    "and at the room and rights of its directory.",
    "OOM": "Its memory is full: raise `maxmemory`, let it evict, or load fewer records.",
    "LOADING": "It still reads its data set: begin once it is there.",
    "CLUSTERDOWN": "The cluster has slots that nobody serves: `CLUSTER INFO` tells.",
    "MASTERDOWN": "The replica has lost its primary, and is to serve nothing meanwhile.",
    "NOREPLICAS": "Fewer replicas are there than `min-replicas-to-write` asks for.",
    "MOVED": "It is a cluster: say so by the target's topology, so that the driver asks the node "
    "that has the key.",
    "WRONGTYPE": "Keys of the same names hold something else: empty it, or use other keys.",
}
"""A word of what was said → what to do; the first that stands in it decides."""

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


def hint_of(kind: str, words: str | None) -> str:
    """What mends it: the cause that the words name, else what helps with the kind."""
    said = "".join(one if one.isalnum() else " " for one in f" {words or ''} ")
    named = (hint for word, hint in BY_WORD.items() if f" {word} " in said)
    return next(named, BY_KIND.get(kind, ELSE))
