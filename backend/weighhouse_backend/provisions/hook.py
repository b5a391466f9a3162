"""Asks the provisioner, a program of the platform's owner; knows no database."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from weighhouse_protocol.masks import masked
from weighhouse_protocol.provisioner import Request
from weighhouse_protocol.text import mended

SECONDS: Mapping[str, float] = {"describe": 20.0, "list": 60.0, "make": 900.0, "end": 300.0}
"""How long it may take."""
ANSWER_BYTES = 8 << 20
WORDS = 2000
KEPT = ("PATH", "HOME", "LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy",
        "no_proxy")  # fmt: skip
"""Variables that it gets of the worker's; and all that begin with `PROVISIONER_`."""
OWN = "PROVISIONER_"

Answer = TypeVar("Answer", bound=BaseModel)


class ProvisionerFailed(Exception):
    """It did not do what it was asked; in its own words where it has some."""


@dataclass(frozen=True)
class Hook:
    """The program, and what it is started with."""

    program: Path

    def ask(self, request: Request, answer: type[Answer]) -> Answer:
        """Start the program for one request, and read its answer.

        :raises ProvisionerFailed: as `tell` does, or when it answers something else.
        """
        said = self.tell(request)
        try:
            return answer.model_validate_json(said[:ANSWER_BYTES])
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            message = f"its answer to {request.action} is not one: {place or 'it'}: {first['msg']}"
            raise ProvisionerFailed(message) from error

    def tell(self, request: Request) -> bytes:
        """Start the program for one request; what it wrote to its output.

        :raises ProvisionerFailed: when it cannot be started, takes too long, or ends with a status
            other than 0.
        """
        allowed = SECONDS[request.action]
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in KEPT or name.startswith(OWN)
        }
        try:
            done = subprocess.run(
                [self.program], input=request.model_dump_json(exclude_none=True).encode(),
                capture_output=True, timeout=allowed, check=False, env=environment, cwd="/",
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            message = f"it cannot be started: {error.strerror}"
            raise ProvisionerFailed(message) from error
        except subprocess.TimeoutExpired as error:
            message = f"it took longer than the {allowed:g} s that {request.action} may take"
            raise ProvisionerFailed(message) from error
        if done.returncode:
            said = _words(done.stderr, request)
            message = f"{request.action} ended with status {done.returncode}"
            raise ProvisionerFailed(f"{message}: {said}" if said else message)
        return done.stdout


def _words(said: bytes, request: Request) -> str:
    """The end of what it wrote, without the tokens that it was given."""
    text = mended(said[-4 * WORDS :].decode(errors="replace")).replace("\0", "").strip()
    for machine in request.machines:
        text = text.replace(machine.token, "…")
    return masked(text)[-WORDS:]
