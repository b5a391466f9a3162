"""Asks an Aerospike node questions, in its info protocol.

A message is eight bytes of header (version 2, type 1, six bytes of length) and text: a question a
line. The answer has the same form: a line for each question, which it repeats before a tab. Source:
`as_proto` and `as_proto_type` in as/include/base/proto.h of the server, read on 2026-11-21.
"""

from collections.abc import Mapping
from functools import partial

from weighhouse_sdk.replies import (
    LoginRefused,
    Refused,
    ReplyError,
    other_protocol,
    unless_refused,
)
from weighhouse_sdk.wire import Address, Connection

PROTOCOL = "Aerospike's info protocol"
NOT_AUTHENTICATED = "80"
VERSION, INFO = 2, 1
LARGEST_BYTES = 1 << 24
"""What is longer is no answer to a question that is asked here."""


def request(*questions: str) -> bytes:
    """What asks a node some questions at once."""
    text = "".join(f"{question}\n" for question in questions).encode()
    return bytes((VERSION, INFO)) + len(text).to_bytes(6, "big") + text


def ask(address: Address, timeout_seconds: float, *questions: str) -> dict[str, str]:
    """Ask over a connection of its own.

    :returns: question → answer.
    :raises Refused: when an answer is an error.
    :raises ReplyError: when one is missing, or is not of the protocol.
    :raises OSError: when there is no answer.
    """
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        connection.send(request(*questions))
        header = connection.exactly(8)
        size = int.from_bytes(header[2:], "big")
        if tuple(header[:2]) != (VERSION, INFO) or size > LARGEST_BYTES:
            raise other_protocol(PROTOCOL, header)
        text = connection.exactly(size).decode("utf-8", errors="replace")
    return answers(text, questions)


def answers(text: str, questions: tuple[str, ...]) -> dict[str, str]:
    """The answers in a message's text, by question.

    :raises ReplyError: when one is an error or is missing.
    """
    found = {}
    for line in text.splitlines():
        question, _, answer = line.partition("\t")
        if answer.startswith(("ERROR", "FAIL")):
            raise failure(question, answer)
        found[question] = answer
    missing = [question for question in questions if question not in found]
    if missing:
        message = f"not answered: {', '.join(missing)}"
        raise ReplyError(message)
    return found


def failure(question: str, answer: str) -> ReplyError:
    """What an error is that a node answers a question with: `ERROR:CODE:words`.

    Source: as/include/base/proto.h of the server: 80 not authenticated, 81 role violation.
    """
    _, _, rest = answer.partition(":")
    code = rest.partition(":")[0]
    if code == NOT_AUTHENTICATED:
        return LoginRefused(
            f"the server wants an account: {answer}",
            "the agent cannot log in to Aerospike: use a server without security, or one that "
            "answers its info protocol on an admin port",
        )
    return Refused(f"{question}: {answer}")


def told(address: Address, timeout_seconds: float, *questions: str) -> dict[str, str]:
    """Ask what only describes, each by itself where the server may refuse it.

    :returns: question → answer, of those that it did not refuse.
    :raises ReplyError, OSError: as `ask`.
    """
    if address.refusals is None:
        return ask(address, timeout_seconds, *questions)
    found: dict[str, str] = {}
    for each in questions:
        found |= unless_refused(address, each, partial(ask, address, timeout_seconds, each)) or {}
    return found


def fields(answer: str) -> dict[str, str]:
    """`name=value;name=value` as a mapping; the values of a name that comes again are joined."""
    found: dict[str, str] = {}
    for each in answer.split(";"):
        name, equals, value = each.partition("=")
        if equals:
            found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def number(values: Mapping[str, str], name: str) -> float | None:
    """A figure or a flag (1.0, 0.0) among the fields of an answer; None: not there, or a word."""
    value = values.get(name, "")
    if value in {"true", "false"}:
        return float(value == "true")
    try:
        return float(value)
    except ValueError:
        return None
