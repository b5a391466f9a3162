"""What the policy file says of credentials: where they are kept, and what they are used for."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from weighhouse_protocol.base import Document
from weighhouse_protocol.endpoints import NotAnEndpoint, concealed, parts_of

FILES = ("password_file", "tls_ca_file", "tls_certificate_file", "tls_key_file")
"""Of credentials."""


class KeptCredentials(Document):
    """Where the credentials of a system that somebody else runs are kept on this machine."""

    endpoints: tuple[str, ...] = Field(min_length=1)
    """They are used for these alone."""
    username: str | None = None
    password_file: Path | None = None
    """Absolute path of a file that only its owner can read."""
    tls: bool = False
    """Only for endpoints `tls://…`."""
    tls_ca_file: Path | None = None
    tls_server_name: str = ""
    """What the server's certificate is for; empty: the endpoint's host."""
    tls_certificate_file: Path | None = None
    """What this machine shows of itself, with those between it and the authority."""
    tls_key_file: Path | None = None
    """Its private key; only its owner can read it."""

    @model_validator(mode="after")
    def _is_safe(self) -> Self:
        for name in FILES:
            path = getattr(self, name)
            if path is not None and not path.is_absolute():
                raise ValueError(f"{name} is to be an absolute path")
        if (self.tls_certificate_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_certificate_file and tls_key_file belong together")
        if self.username is not None and self.password_file is None:
            raise ValueError("username needs password_file beside it")
        for each in self.endpoints:
            try:
                parts_of(each)
            except NotAnEndpoint as error:
                raise ValueError(f"endpoints: {concealed(each)}: {error}") from error
            if self.tls and not each.startswith("tls://"):
                raise ValueError(f"endpoints: {each}: `tls = true` asks for tls://")
        return self
