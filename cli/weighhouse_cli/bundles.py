"""Bundles as commands open them: checked, or refused with the reason."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from weighhouse_backend.bundles.reproduction import Outcome
from weighhouse_backend.bundles.verification import Verified, verified
from weighhouse_protocol.bundles.archive import BundleError
from weighhouse_protocol.text import escaped

from weighhouse_cli.console import print_json
from weighhouse_cli.exits import CommandFailed, Exit

WORDS: Mapping[Outcome, str] = {
    "reproduced": "reproduced",
    "did_not_reproduce": "did not reproduce",
    "cannot_tell": "cannot tell",
}


@contextmanager
def checked(file: Path, *, as_json: bool = False) -> Iterator[Verified]:
    """A bundle, checked.

    :param as_json: what is wrong is told to programs, too.
    :raises CommandFailed: when it cannot be read, or is not as it was signed.
    """
    try:
        with file.open("rb") as opened:
            yield verified(opened)
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{file}: {error.strerror or error}") from error
    except BundleError as error:
        if as_json:
            print_json({"file": str(file), "holds": False, "refused": str(error)})
        raise CommandFailed(Exit.INVALID, escaped(f"{file}: {error}")) from error
