"""Ports that are held for nodes until they are started."""

import contextlib
import itertools
from typing import NamedTuple

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.process import Reservation


class _Held(NamedTuple):
    port: int
    client: Reservation | None
    peer: Reservation | None

    def all(self) -> list[Reservation]:
        return [each for each in (self.client, self.peer) if each is not None]


class HeldPorts:
    """The ports of one context, by the number of the node they are for."""

    def __init__(self, among: range | None = None) -> None:
        """:param among: the ports that may be used; None: any that is free."""
        self._held: dict[int, _Held] = {}
        self._among = among
        self._given: set[int] = set()

    def hold(
        self, number: int, host: str, *, port: int | None = None, peer: bool = False
    ) -> tuple[int, int | None]:
        """Hold a node's ports; called again, the same ones.

        :param port: a fixed one, which is not held: when it is taken, the server's own log shall
            say so.
        :param peer: whether it wants a second one, for other nodes alone.
        :returns: the port for clients, and the second one.
        :raises DeployFailed: when the host has no port, or is not this machine's.
        """
        held = self._held.get(number)
        if held is None:
            client = self._free(host) if port is None else None
            second = self._free(host) if peer else None
            held = _Held(client.port if client else port or 0, client, second)
            self._held[number] = held
        return held.port, held.peer.port if held.peer else None

    def take(self, number: int, host: str, port: int) -> Reservation | None:
        """Hand what is held for a node to who starts it. None: nothing is.

        :param host: where it is to listen for clients in the end, with the port of that; where
            that is another one than was held, it is held now, and what was stays so.
        :raises DeployFailed: when it is not free any more.
        """
        held = self._held[number]
        reservations = held.all()
        if held.client is not None and (held.client.host, held.port) != (host, port):
            reservations.insert(0, Reservation(host, port))
        del self._held[number]
        for one, beside in itertools.pairwise(reservations):
            one.beside = beside
        return reservations[0] if reservations else None

    def _free(self, host: str) -> Reservation:
        """A port that nobody has, and that was not given before.

        :raises DeployFailed: when there is none.
        """
        if self._among is None:
            return Reservation(host)
        for port in self._among:
            if port in self._given:
                continue
            with contextlib.suppress(DeployFailed):
                found = Reservation(host, port)
                self._given.add(port)
                return found
        raise DeployFailed(
            f"no port of {host} is free from {self._among.start} to {self._among.stop - 1}",
            "give the slot more ports in the agent's policy.toml, or end what holds them",
        )

    def release(self) -> None:
        """Give up what nobody took. Idempotent."""
        for held in self._held.values():
            for each in held.all():
                each.release()
        self._held.clear()
