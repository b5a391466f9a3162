"""Names of files as they leave, safe on whose disk ever they are saved."""

import re
from urllib.parse import quote

from weighhouse_protocol.text import seen

LONGEST = 150
SEPARATORS = re.compile(r'[/\\:*?"<>|%]+')
"""What parts paths or means something to one of the systems that files are saved on."""
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
"""Devices of Windows, with whatever ending."""


def file_name(name: str) -> str:
    """A name that is one file's wherever it is saved: no path, no device, not hidden.

    :param name: as a machine, a person or a system under test gave it.
    :returns: at most LONGEST characters, with as much of its end as tells what it is; never empty.
    """
    plain = SEPARATORS.sub("-", seen(name)).strip(" .-") or "file"
    if RESERVED.fullmatch(plain):
        plain = f"file-{plain}"
    if len(plain) > LONGEST:
        stem, dot, ending = plain.rpartition(".")
        ending = f"{dot}{ending}" if stem and len(ending) <= 10 else ""  # noqa: PLR2004 - .hlog, …
        plain = plain[: LONGEST - len(ending)].rstrip(" .-") + ending
    return plain


def content_disposition(name: str, kind: str = "attachment") -> str:
    """The header of an answer that is a file (RFC 6266, RFC 8187).

    :param kind: `attachment` or `inline`.
    """
    kept = file_name(name)
    plain = re.sub(r"[^A-Za-z0-9 ._()+=@,-]", "_", kept)
    if plain == kept:
        return f'{kind}; filename="{kept}"'
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(kept, safe='')}"
