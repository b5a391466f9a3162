"""Tells whoever found a weakness whom to write to: /.well-known/security.txt, by RFC 9116."""

from datetime import timedelta

from fastapi import FastAPI
from starlette.responses import PlainTextResponse

from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings

PATH = "/.well-known/security.txt"
HOLDS = timedelta(days=180)
"""For how long what it says may be relied on; the standard wants less than a year."""


def install_security_contact(app: FastAPI, settings: Settings, clock: Clock) -> None:
    """Serve the file, where the operator named a contact; else the address is nothing."""

    @app.get(PATH, include_in_schema=False)
    def read_security_contact() -> PlainTextResponse:
        """The contact, as a line each."""
        if settings.security_contact is None:
            raise NotFound("the operator of this installation named no contact")
        until = (clock.now() + HOLDS).replace(hour=0, minute=0, second=0, microsecond=0)
        lines = (
            f"Contact: {settings.security_contact}",
            f"Expires: {until:%Y-%m-%dT%H:%M:%SZ}",
            "Preferred-Languages: en",
            f"Canonical: {settings.public_url.rstrip('/')}{PATH}",
        )
        return PlainTextResponse("\n".join(lines) + "\n")
