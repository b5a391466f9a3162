"""Mail: letters as text, sent through the installation's SMTP server."""

import re
import smtplib
import ssl
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Annotated, Protocol

from pydantic import AfterValidator, Field
from weighhouse_protocol.text import in_one_line, one_line

from weighhouse_backend.kit.problems import Conflict
from weighhouse_backend.kit.settings import Settings

TIMEOUT_SECONDS = 20

ATOM = r"[^\s\x00-\x1f\x7f-\x9f@.,;:<>()\[\]\"\\%!?]+"
MAILBOX = rf"^{ATOM}(\.{ATOM})*@{ATOM}(\.{ATOM})*$"
"""One address that means itself to every program on its way: RFC 5322's `dot-atom` on both sides,
without what begins an encoded word (RFC 2047, `=?`) or routes onwards (`%` and `!`, as Postfix does
by default for whoever may relay).
"""


def _seen(address: str) -> str:
    """An address as it was written, all of which is seen: another spelling could be another's."""
    one_line(address)
    return address


MailAddress = Annotated[
    str,
    Field(min_length=3, max_length=320, pattern=MAILBOX, examples=["mia@example.com"]),
    AfterValidator(_seen),
]
"""An address that somebody types, and letters go to."""


class NoMail(Conflict, title="This installation sends no mail"):
    """The installation has no way to send mail."""


class NotMailable(ValueError):
    """An address that some program on the way could take for others, or for several."""


@dataclass(frozen=True)
class Letter:
    """A mail to one person, as plain text."""

    to: str
    subject: str
    text: str
    id: str | None = None
    """The same for a letter that is sent again, so that mailboxes know it; none: its own."""


class Post(Protocol):
    """Takes letters to their addressees."""

    def send(self, letter: Letter) -> None:
        """:raises OSError: when the server cannot be reached or refuses it; to be tried again.
        :raises NotMailable: when nothing is sent to such an address.
        """
        ...


def is_mailbox(address: str) -> bool:
    """Whether letters go to an address, and to it alone."""
    return re.fullmatch(MAILBOX, address) is not None


def mail_is_set_up(settings: Settings) -> bool:
    """Whether there is a server to send mail through."""
    return settings.smtp_host is not None


@dataclass(frozen=True)
class SmtpPost:
    """Sends through one SMTP server, one connection a letter."""

    settings: Settings

    def send(self, letter: Letter) -> None:
        """:raises OSError: when the server cannot be reached or refuses it; so is SMTPException.
        :raises NoMail: when there is no server.
        :raises NotMailable: when the address is none that means itself alone.
        """
        settings = self.settings
        if settings.smtp_host is None:
            raise NoMail("set WEIGHHOUSE_SMTP_HOST and start the platform again")
        if not is_mailbox(letter.to):
            raise NotMailable("nothing is sent to an address that could mean others")
        message = EmailMessage()
        message["From"] = settings.mail_from
        name, _, place = letter.to.rpartition("@")
        message["To"] = Address(username=name, domain=place)
        message["Subject"] = in_one_line(letter.subject)
        domain = settings.mail_from.rpartition("@")[2] or None
        message["Message-ID"] = (
            make_msgid(domain=domain) if letter.id is None else f"<{letter.id}@{domain}>"
        )
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(letter.text)
        context = ssl.create_default_context(cafile=settings.smtp_ca_file)
        host, port = settings.smtp_host, settings.smtp_port
        if settings.smtp_encryption == "tls":
            connected: smtplib.SMTP = smtplib.SMTP_SSL(
                host, port, timeout=TIMEOUT_SECONDS, context=context
            )
        else:
            connected = smtplib.SMTP(host, port, timeout=TIMEOUT_SECONDS)
        with connected as server:
            if settings.smtp_encryption == "starttls":
                server.starttls(context=context)
            if settings.smtp_user is not None and settings.smtp_password is not None:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            server.send_message(message, to_addrs=[letter.to])
