"""Bundles as the API shows them."""

from pydantic import BaseModel


class KeyRead(BaseModel):
    """The public half of a key that signs bundles."""

    sha256: str
    """By which it is called: of its 32 bytes."""
    public_key: str
    """The same 32 bytes (Ed25519), in base64."""
    pem: str
    """The same as a file."""


class KeysRead(BaseModel):
    """The keys of an installation."""

    present: KeyRead
    former: list[KeyRead]
    """Of its former secrets, as far as they are in its settings; newest first."""
