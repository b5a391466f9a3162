"""Ports that are held for nodes until they are started."""

import itertools
from typing import NamedTuple

from weighhouse_sdk.machine.process import Reservation


class _Held(NamedTuple):
    port: int
    client: Reservation | None
    peer: Reservation | None

    def all(self) -> list[Reservation]:
        return [each for each in (self.client, self.peer) if each is not None]


class HeldPorts:
    """The ports of one context, by the number of the node they are for."""

    def __init__(self) -> None:
        self._held: dict[int, _Held] = {}

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
            client = Reservation(host) if port is None else None
            second = Reservation(host) if peer else None
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

    def release(self) -> None:
        """Give up what nobody took. Idempotent."""
        for held in self._held.values():
            for each in held.all():
                each.release()
        self._held.clear()
