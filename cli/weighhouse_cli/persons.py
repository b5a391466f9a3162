"""Commands of people: who is signed in for one command, with a password, and out again after it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from weighhouse_cli.client import Access, Client, find_access, platform_url
from weighhouse_cli.embedded.directory import (
    ADMIN_EMAIL,
    PlatformDirectory,
    default_directory,
)

FIRST_PASSWORD = "admin-password"  # noqa: S105 - the name of the file it lies in


@contextmanager
def somebody(url: str | None, token: str | None, email: str | None) -> Iterator[Client]:
    """The API as a token has it, or as a person, signed in for as long as it lasts.

    :param email: who signs in; the password is asked for. None: the token, given or of the
        environment; without one, on the embedded platform's own machine, its first user.
    :raises CommandFailed: when nobody is let in.
    """
    given = url or os.environ.get("WEIGHHOUSE_URL")
    own = PlatformDirectory(default_directory())
    if email is not None:
        password = typer.prompt(f"Password of {email}", hide_input=True, err=True)
    elif not given and not (token or os.environ.get("WEIGHHOUSE_TOKEN")) and _keeps(own):
        email, password = ADMIN_EMAIL, own.secret(FIRST_PASSWORD)
    else:
        yield Client(find_access(url, token))
        return
    client = Client(Access(url=platform_url(given, own), token=None))
    client.sign_in(
        email, password, lambda: str(typer.prompt("Code of the second factor", err=True))
    )
    try:
        yield client
    finally:
        client.sign_out()


def _keeps(directory: PlatformDirectory) -> bool:
    return directory.first_user().exists()
