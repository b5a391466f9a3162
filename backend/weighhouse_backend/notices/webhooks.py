"""Webhooks: JSON bodies, signed as Standard Webhooks 1.0.0 says, so that its libraries verify them.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import base64
import datetime
import hashlib
import hmac
import json
import secrets
import ssl
from dataclasses import dataclass

import httpx

from weighhouse_backend.kit.addresses import AddressForbidden, Destination, look_up
from weighhouse_backend.notices.kinds import AttemptOutcome
from weighhouse_backend.notices.messages import Message, as_document
from weighhouse_backend.notices.results import Result

PREFIX = "whsec_"
SECRET_BYTES = 32
TIMEOUT_SECONDS = 10.0
GONE = 410


def new_secret() -> str:
    """What a channel's bodies are signed with."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The `webhook-signature` of a body.

    :param secret: `whsec_…`.
    :param timestamp: seconds since 1970, as in the header `webhook-timestamp`.
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


@dataclass(frozen=True)
class WebhookSender:
    """Sends bodies; follows nobody anywhere, asks no proxy, and reads no answer but its status."""

    own_networks: bool
    """Whether this machine and private networks may be sent to."""

    def send(self, address: str, secret: str, message: Message, now: datetime.datetime) -> Result:
        """Make one attempt."""
        try:
            destination = look_up(address, own_networks=self.own_networks)
        except AddressForbidden as error:
            return Result(AttemptOutcome.FORBIDDEN, detail=str(error))
        except OSError as error:
            return Result(AttemptOutcome.UNREACHABLE, detail=f"its name: {error}")
        body = json.dumps(as_document(message), ensure_ascii=False).encode()
        timestamp = int(now.timestamp())
        headers = {
            "Host": destination.authority,
            "Content-Type": "application/json",
            "User-Agent": "Weighhouse",
            "webhook-id": str(message.id),
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, str(message.id), timestamp, body),
        }
        try:
            status = _post(destination, body, headers)
        except httpx.HTTPError as error:
            # Its own words may hold the address, which may hold a secret.
            return Result(AttemptOutcome.UNREACHABLE, detail=_why(error, destination))
        return _judged(status)


def _post(destination: Destination, body: bytes, headers: dict[str, str]) -> int:
    with (
        httpx.Client(
            verify=ssl.create_default_context(), trust_env=False, follow_redirects=False,
            timeout=TIMEOUT_SECONDS,
        ) as client,
        client.stream(
            "POST", destination.url, content=body, headers=headers,
            extensions={"sni_hostname": destination.host},
        ) as answer,
    ):  # fmt: skip
        return answer.status_code


def _why(error: httpx.HTTPError, destination: Destination) -> str:
    if isinstance(error, httpx.TimeoutException):
        return f"{destination.host} did not answer within {TIMEOUT_SECONDS:g} seconds"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate of {destination.host}: {cause.verify_message}"
        cause = cause.__cause__ or cause.__context__
    return f"{destination.host} could not be reached ({type(error).__name__})"


def _judged(status: int) -> Result:
    if 200 <= status < 300:  # noqa: PLR2004 - a success of HTTP
        return Result(AttemptOutcome.DELIVERED, status)
    if 300 <= status < 400:  # noqa: PLR2004 - a redirect of HTTP
        said = "it points elsewhere; nobody is followed: enter that address"
        return Result(AttemptOutcome.REFUSED, status, said)
    if status == GONE:
        said = "it says that it is gone for good"
        return Result(AttemptOutcome.REFUSED, status, said, for_good=True)
    return Result(AttemptOutcome.REFUSED, status, "it did not take it")
