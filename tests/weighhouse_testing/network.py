"""Servers in a network of their own, for tests that disturb it."""

import contextlib
import ctypes
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from weighhouse_protocol.faults import NetworkConditions
from weighhouse_sdk.context import Context
from weighhouse_sdk.machine.network.network_faults import Ends
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.machine.process import Command, Reservation
from weighhouse_sdk.places import Place
from weighhouse_sdk.wire import Address

REDIS = str(shutil.which("redis-server"))
NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of linux/sched.h; Python 3.12 is the first that has it."""


@contextlib.contextmanager
def network_of_its_own() -> Iterator[None]:
    """Move this thread into a new network namespace with a loopback interface, and back. What is
    started meanwhile is in it, and nobody else.
    """
    system = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open("rb") as home:
        if system.unshare(NEW_NETWORK) != 0:
            raise OSError(ctypes.get_errno(), "no network of its own")
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            yield
        finally:
            if system.setns(home.fileno(), NEW_NETWORK) != 0:
                raise OSError(ctypes.get_errno(), "the way back is closed")


def rules() -> list[str]:
    """The rules of the table that is ours too, and what is on the loopback interface."""
    text = subprocess.run(["iptables-save"], capture_output=True, check=True, text=True).stdout
    table = text.partition("*mangle")[2].partition("COMMIT")[0].splitlines()
    found = [line for line in table if line.startswith(("-A", ":wh-"))]
    for what in ("qdisc", "class"):
        done = subprocess.run(
            ["tc", what, "show", "dev", "lo"], capture_output=True, check=True, text=True
        )
        found += done.stdout.splitlines()
    return found


class Client:
    """A connection to a Redis server that stays.

    :param seconds: how long it waits for anything.
    """

    def __init__(self, address: Address, seconds: float = 20.0) -> None:
        self.socket = socket.create_connection((address.host, address.port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = self.socket.makefile("rb")

    def ask(self, *words: str) -> bytes:
        """Send a command and return what it answers."""
        parts = [f"${len(word)}\r\n{word}\r\n" for word in words]
        self.socket.sendall(f"*{len(words)}\r\n{''.join(parts)}".encode())
        line = self.reader.readline()
        if line[:1] == b"$":
            return self.reader.read(int(line[1:]) + 2)[:-2]
        return line.strip()

    def milliseconds(self, *words: str) -> float:
        """How long the answer to a command takes."""
        begun = time.perf_counter()
        self.ask(*words)
        return (time.perf_counter() - begun) * 1000

    def fastest(self, *words: str, asked: int = 15) -> float:
        """Milliseconds of the quickest of some answers: what the network takes at least, while a
        busy machine may make all others late.

        :param words: the command; default: PING.
        """
        return min(self.milliseconds(*(words or ("PING",))) for _ in range(asked))

    def close(self) -> None:
        """End the connection."""
        self.reader.close()
        self.socket.close()


class Servers:
    """Redis servers of a context, and a client of each."""

    def __init__(self, context: Context, count: int, *more: str) -> None:
        self.context = context
        self.network = context.network
        held = [Reservation() for _ in range(count)]
        addresses = tuple(Address(each.host, each.port) for each in held)
        self.nodes, self.clients = [], []
        for number, (address, reservation) in enumerate(zip(addresses, held, strict=True), 1):
            directory = context.data_directory / f"node-{number}"
            place = Place(number, f"redis-{number}", address, directory, addresses)
            words = ["--port", str(address.port), "--bind", address.host, "--save", "", *more]
            body = context.processes.start(Command(place.name, (REDIS, *words), directory))
            body.reservation = reservation
            self.nodes.append(Node(place, body))
            self.clients.append(self.connect(number))

    def connect(self, number: int) -> Client:
        """A further client of a node, once that listens."""
        address = self.nodes[number - 1].place.address
        for _ in self.context.attempts(20):
            try:
                return Client(address)
            except ConnectionRefusedError:
                continue
        message = f"no server at {address}"
        raise AssertionError(message)

    def worsen(self, number: int, wanted: NetworkConditions, *, bus: bool = False) -> str:
        """Make the network of a node worse; `bus`: the nodes are a cluster."""
        ends = [
            Ends.of(node, [Address(node.place.address.host, node.place.address.port + 10_000)])
            if bus
            else Ends.of(node, [])
            for node in self.nodes
        ]
        own = ends.pop(number - 1)
        return self.network.worsen(wanted, own, ends if bus else [])

    def heal(self, number: int) -> bool:
        """Take back what `worsen` did; whether it had."""
        return self.network.heal(self.nodes[number - 1])

    def stop(self) -> None:
        """End all of it."""
        for client in self.clients:
            client.close()
        for node in self.nodes:
            self.network.heal(node)
            node.body.stop(5)
