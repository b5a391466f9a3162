"""Makes a machine an agent of a platform, once."""

import os
import socket
import threading
from pathlib import Path
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError
from weighhouse_protocol.order import AgentRole, Registered, Registration

from weighhouse_agent import VERSION
from weighhouse_agent.delivery.platform_client import GaveUp, PlatformClient, Refused, again
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.home import Home, read_text, write_atomically

HOME_VARIABLE = "WEIGHHOUSE_AGENT_HOME"
URL_VARIABLE = "WEIGHHOUSE_URL"
TOKEN_VARIABLE = "WEIGHHOUSE_REGISTRATION_TOKEN"  # noqa: S105 - a variable's name
PATIENCE_SECONDS = 30.0


class EnrolmentError(Exception):
    """The machine could not be enrolled, or is not.

    :param hint: how to mend it.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


class Identity(BaseModel):
    """Who this agent is to the platform: `identity.json`."""

    model_config = ConfigDict(frozen=True)

    url: str
    agent_id: UUID
    agent_token: str
    name: str


def default_home() -> Path:
    """`$WEIGHHOUSE_AGENT_HOME`, or a directory among the user's own."""
    given = os.environ.get(HOME_VARIABLE)
    return Path(given) if given else Path.home() / ".local" / "share" / "weighhouse-agent"


def enrol(
    url: str,
    token: str,
    home: Path,
    *,
    name: str | None = None,
    roles: tuple[AgentRole, ...] = ("driver", "server"),
    patience_seconds: float = PATIENCE_SECONDS,
) -> Identity:
    """Enrol this machine and keep what it is given. Repeatable with the same token and home: a
    lost answer costs nothing.

    :param url: the platform's address.
    :param token: registration token, from the page *Agents*.
    :param home: the agent's directory, made when it is not there.
    :param name: default: the machine's host name.
    :param patience_seconds: how long to try while the platform does not answer.
    :raises EnrolmentError: with a hint.
    """
    place = Home(home)
    try:
        instance_id = place.instance_id()
    except OSError as error:
        raise EnrolmentError(
            f"{home} cannot be the agent's directory: {error}",
            f"it has to be this account's own: name one by ${HOME_VARIABLE}, or give it this one",
        ) from error
    name = name or socket.gethostname()
    registration = Registration(
        name=name,
        instance_id=instance_id,
        roles=roles,
        facts=machine_facts(instance_id, {"agent": VERSION}),
    )
    client = PlatformClient.connect(url, token)
    try:
        given = again(
            lambda: client.ask("POST", "/agent/v1/register", registration, Registered),
            what="register",
            stop=threading.Event(),
            limit_seconds=patience_seconds,
        )
    except Refused as error:
        raise EnrolmentError(
            f"the platform refused: {error.detail}",
            "registration tokens are short-lived and work for one machine; make another",
        ) from error
    except GaveUp as error:
        raise EnrolmentError(
            f"no answer from {url} within {patience_seconds:g} s: {error.__cause__}",
            "is the address right, and does the platform run?",
        ) from error
    finally:
        client.close()
    identity = Identity(
        url=url.rstrip("/"), agent_id=given.agent_id, agent_token=given.agent_token, name=name
    )
    write_atomically(place.identity, identity.model_dump_json(indent=2))
    return identity


def load_identity(home: Home) -> Identity:
    """Who this agent is.

    :raises EnrolmentError: when it was never enrolled, or its file is damaged.
    """
    text = read_text(home.identity)
    hint = "enrol it: weighhouse agent enrol --url ADDRESS --token TOKEN"
    if text is None:
        raise EnrolmentError(f"{home.path} is not enrolled", hint)
    try:
        return Identity.model_validate_json(text)
    except ValidationError as error:
        raise EnrolmentError(f"{home.identity} is damaged: {error}", hint) from error
