"""Servers that speak TLS under a certificate of the attempt's own, where a target says `tls`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar

from weighhouse_sdk.context import Context
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.machine.certificates import AUTHORITY, CERTIFICATE, KEY, certify, hand_out
from weighhouse_sdk.machine.process import first_user
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.wire import Address

TLS = "tls"
"""The parameter, and the directory of a node's certificate and key."""
CA_OPTION = "tls_ca_file"
"""Of the driver."""


class Certified(ServerPlugin):
    """Servers with the parameter `tls`: their addresses say so, their certificate and key lie in
    the directory `tls` of each node, and the driver is told whom to believe.
    """

    clients_show: ClassVar[bool] = False
    """Whether such a server takes only clients that show a certificate: the same is shown."""

    def secure(self, context: Context, addresses: tuple[Address, ...]) -> tuple[Address, ...]:
        """With TLS, under a certificate of an authority of this attempt's own."""
        if not context.target.parameters.get(TLS):
            return addresses
        authority = Path(str(self.driver_files(context)[CA_OPTION]))
        certify(authority.parent, {each.host for each in addresses})
        own = authority.parent if self.clients_show else None
        shown = Credentials(
            tls_ca_file=authority,
            tls_certificate_file=own and own / CERTIFICATE,
            tls_key_file=own and own / KEY,
        )
        return tuple(each._replace(credentials=shown, tls=True) for each in addresses)

    def prepare(self, parameters: Mapping[str, Scalar], place: Place) -> None:
        """Hand the certificate and its key to the server's user."""
        del parameters
        shown = place.address.credentials
        if place.address.tls and shown is not None and shown.tls_ca_file is not None:
            user = first_user(self.users) if os.geteuid() == 0 else None
            hand_out(shown.tls_ca_file.parent, place.directory / TLS, user)

    def driver_files(self, context: Context) -> dict[str, Scalar]:
        """The authority of the servers' certificate, where they speak TLS."""
        if not context.target.parameters.get(TLS):
            return {}
        if context.own_nodes is not None:
            reason = "its certificate is for one machine, which servers and driver have to share"
            raise TargetInvalid([(f"parameters.{TLS}", reason)])
        files = {CA_OPTION: AUTHORITY}
        if self.clients_show:
            files |= {"tls_certificate_file": CERTIFICATE, "tls_key_file": KEY}
        return {name: str(context.scratch_directory / TLS / each) for name, each in files.items()}
