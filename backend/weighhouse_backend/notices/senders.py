"""Takes parcels to their addressees; knows no database."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from weighhouse_protocol import pages

from weighhouse_backend.kit.late import late
from weighhouse_backend.kit.mail import Letter, NoMail, NotMailable, Post
from weighhouse_backend.kit.seals import CannotUnseal, Seal, seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import NoSecretKey
from weighhouse_backend.notices.deliveries import Parcel
from weighhouse_backend.notices.kinds import AttemptOutcome, ChannelKind
from weighhouse_backend.notices.messages import id_of, subject_of, text_of
from weighhouse_backend.notices.results import Result
from weighhouse_backend.notices.webhooks import WebhookSender

if TYPE_CHECKING:
    from weighhouse_backend.notices import chats
else:
    chats = late("weighhouse_backend.notices.chats")

log = structlog.get_logger(__name__)

OWN = "You get this because you asked for it:"
OF_PROJECT = "This mailbox is a channel of the project:"


@dataclass(frozen=True)
class Sender:
    """Makes one attempt, over whatever channel."""

    settings: Settings
    post: Post
    now: Callable[[], datetime.datetime]

    def send(self, parcel: Parcel) -> Result:
        """Send a parcel; what goes wrong is in the result, whatever it is: also that it took
        longer than a task may run. So each attempt ends, and is counted.
        """
        try:
            return self._send(parcel)
        except Exception as error:  # noqa: BLE001 - and its words may hold an address
            kind = type(error).__name__
            log.warning("notice_not_sent", parcel_id=str(parcel.id), error=kind)
            return Result(AttemptOutcome.UNREACHABLE, detail=f"it could not be sent ({kind})")

    def _send(self, parcel: Parcel) -> Result:
        if parcel.mailbox is not None:
            return self._mail(parcel, parcel.mailbox, OWN)
        try:
            seal = seal_of(self.settings)
            address = _opened(seal, parcel.sealed_address)
            secret = _opened(seal, parcel.sealed_secret)
        except (CannotUnseal, NoSecretKey) as error:
            return Result(AttemptOutcome.FORBIDDEN, detail=f"{error.title}: {error}")
        if parcel.kind == ChannelKind.MAIL:
            return self._mail(parcel, address, OF_PROJECT)
        (message,) = parcel.messages
        if parcel.kind == ChannelKind.WEBHOOK:
            sender = WebhookSender(self.settings.notices_to_own_networks)
            return sender.send(address, secret, message, self.now())
        return chats.send(parcel.kind, address, message)

    def _mail(self, parcel: Parcel, to: str, why: str) -> Result:
        where = pages.at(self.settings.public_url, pages.settings("notifications"))
        text = text_of(parcel.messages, where, why)
        letter = Letter(to, subject_of(parcel.messages), text, id=id_of(parcel.messages))
        try:
            self.post.send(letter)
        except NoMail as error:
            return Result(AttemptOutcome.FORBIDDEN, detail=f"{error.title}: {error}")
        except NotMailable as error:
            return Result(AttemptOutcome.FORBIDDEN, detail=str(error))
        except OSError as error:
            return Result(AttemptOutcome.UNREACHABLE, detail=f"{type(error).__name__}: {error}")
        return Result(AttemptOutcome.DELIVERED)


def _opened(seal: Seal, sealed: str | None) -> str:
    return "" if sealed is None else seal.open(sealed)
