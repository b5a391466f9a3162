"""Whoever is asked outside of a process is given up at some time: each client says when."""

import ast

from weighhouse_testing.tree import text_of, tracked

PARTS = ("agent/weighhouse_agent/", "backend/weighhouse_backend/", "worker/weighhouse_worker/")
CLIENTS = {
    "Client": {"timeout"},
    "AsyncClient": {"timeout"},
    "PoolManager": {"timeout"},
    "SMTP": {"timeout"},
    "SMTP_SSL": {"timeout"},
    "urlopen": {"timeout"},
    "create_connection": {"timeout"},
    "from_url": {"socket_timeout", "socket_connect_timeout"},
    "connect": {"connect_timeout"},
    "create_engine": {"pool_timeout", "connect_args"},
}
"""What makes a client, and what it is to be told."""
OF_PSYCOPG = "psycopg.connect"


def made() -> dict[str, tuple[str, set[str]]]:
    """Where a client is made → what makes it, and the arguments it is given by name."""
    found = {}
    for name in tracked(".py"):
        if not name.startswith(PARTS):
            continue
        for node in ast.walk(ast.parse(text_of(name))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            kind = called.rpartition(".")[2]
            # Much else connects: signals, for example.
            if kind in CLIENTS and (kind != "connect" or called == OF_PSYCOPG):
                given = {each.arg for each in node.keywords if each.arg}
                found[f"{name}:{node.lineno}"] = (kind, given)
    return found


def test_every_client_has_its_deadlines() -> None:
    without = [
        f"{where}: {kind} without {', '.join(sorted(CLIENTS[kind] - given))}"
        for where, (kind, given) in made().items()
        if CLIENTS[kind] - given
    ]
    assert not without, "\n".join(without)


def test_the_clients_are_found() -> None:
    kinds = {kind for kind, _ in made().values()}
    assert {"Client", "PoolManager", "SMTP", "from_url", "connect", "create_engine"} <= kinds
