"""Mail: letters as text, sent through the installation's SMTP server."""

import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Protocol

from weighhouse_backend.kit.problems import Conflict
from weighhouse_backend.kit.settings import Settings

TIMEOUT_SECONDS = 20


class NoMail(Conflict):
    """The installation has no way to send mail."""

    slug = "no-mail"
    title = "This installation sends no mail"


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
        """:raises OSError: when the server cannot be reached or refuses it; to be tried again."""
        ...


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
        """
        settings = self.settings
        if settings.smtp_host is None:
            raise NoMail("set WEIGHHOUSE_SMTP_HOST and start the platform again")
        message = EmailMessage()
        message["From"] = settings.mail_from
        message["To"] = letter.to
        message["Subject"] = letter.subject
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
            server.send_message(message)
