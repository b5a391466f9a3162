"""What a system that somebody else set up wants to see before it answers.

They stand in the policy of the agent's machine and go nowhere but to the system and, by the path of
a file, to the driver: no document, event, log or message holds them.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from weighhouse_protocol.base import Scalar

from weighhouse_sdk.errors import PluginError

OPTIONS = (
    "username", "password_file", "tls_ca_file", "tls_server_name", "tls_certificate_file",
    "tls_key_file",
)  # fmt: skip
"""Driver options that carry credentials: never an experiment's to set."""
NOT_SHOWN = "(not shown)"


class CredentialsRefused(PluginError):
    """Credentials cannot be used for this system or with this driver."""

    kind = "invalid"


@dataclass(frozen=True)
class Credentials:
    """An account and what proves it; printing it shows no secret."""

    username: str | None = None
    password: str | None = field(default=None, repr=False)
    password_file: Path | None = field(default=None, repr=False)
    """Where the password was read; drivers read it there."""
    tls_ca_file: Path | None = None
    """Authority that the server's certificate is held against."""
    tls_server_name: str | None = None
    """What that certificate is for; None: the host of the endpoint."""
    tls_certificate_file: Path | None = None
    """What this machine shows of itself."""
    tls_key_file: Path | None = field(default=None, repr=False)
    """Its private key."""

    def masked(self, text: str) -> str:
        """A text of the system's without the password, should it repeat it."""
        return text.replace(self.password, NOT_SHOWN) if self.password else text

    def driver_options(self, driver_id: str, known: Collection[str]) -> dict[str, Scalar]:
        """As the driver's order has them.

        :param driver_id: for example `resp`.
        :param known: the options that the driver's `--describe` tells.
        :raises CredentialsRefused: when the driver has no option for one of them.
        """
        given: dict[str, Scalar] = {
            name: str(value) for name in OPTIONS if (value := getattr(self, name)) is not None
        }
        lacking = [name for name in given if name not in known]
        if lacking:
            raise CredentialsRefused(
                f"the driver `{driver_id}` has no option {', '.join(lacking)}, so these "
                "credentials cannot be used with it",
                "use a server that wants none, or leave out what the driver cannot tell",
            )
        return given
