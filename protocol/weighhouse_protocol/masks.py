"""Secrets in text that somebody keeps or shows: blotted out, and the rest as it was. Pure."""

import re

TOKEN = re.compile(r"(wh[a-z]_|whsec_)[A-Za-z0-9_+/=-]{8,}")
CREDENTIALS = re.compile(r"(://[^:/@\s]*:)[^@\s]+(@?)")
"""Takes what has no `@` too, and so looks at no letter twice: strangers choose the paths."""
BLOT = "…"
_NAMED = (
    r"pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|credentials?|authenticate"
)
_SET = re.compile(
    rf"""((?:^|[\s,;"'{{(?&])[\w.\-]{{0,80}}(?:{_NAMED})\w{{0,20}}["']?\s?[=:]\s?)
    ("[^"]*"|'[^']*'|[^\s,;&)}}]+)""",
    re.IGNORECASE | re.VERBOSE,
)
_FLAG = re.compile(
    rf"""((?:^|\s)-{{1,2}}[\w.\-]{{0,80}}(?:{_NAMED})\s+)("[^"]*"|'[^']*'|[^\s-]\S*)""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT = re.compile(r"""((?:^|\s)-(?:a|pw)\s+)("[^"]*"|'[^']*'|[^\s-]\S*)""")
"""`-a` of redis-benchmark and memtier_benchmark, `-pw` of nodetool and cassandra-stress."""


def masked(text: str) -> str:
    """A text with tokens and passwords in addresses blotted out."""
    text = CREDENTIALS.sub(lambda m: f"{m[1]}{BLOT}@" if m[2] else m[0], text)
    return TOKEN.sub(rf"\1{BLOT}", text)


def masked_command(text: str) -> str:
    """A command line with the same blotted out, and the values of options that are named as secrets
    are: `-p cassandra.password=…`, `--authenticate …`, `-a …`.
    """
    text = masked(text)
    for pattern in (_SET, _FLAG, _SHORT):
        text = pattern.sub(rf"\1{BLOT}", text)
    return text
