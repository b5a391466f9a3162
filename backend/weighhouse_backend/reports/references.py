"""References in a report's text: `{{comparison.throughput(redis; balanced; 8 clients)}}`. Pure.

A reference names a source of the report, what is wanted of it, and where that takes it, of what:
parts stand between semicolons, since names of load levels have commas. A claim is one of its own:
`{{claim comparison: [redis / balanced / 8 clients] > [memcached / balanced / 8 clients]}}`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_REFERENCES = 300
"""In one report."""
LONGEST = 400
_FORM = re.compile(
    r"\s*(?P<source>[a-z0-9][a-z0-9-]{0,39})\.(?P<what>[a-z][a-z0-9_.-]{0,62})"
    r"(?:\((?P<parts>[^(){}\n]*)\))?\s*"
)
_CLAIM = re.compile(r"\s*claim\s+(?:(?P<source>[a-z0-9][a-z0-9-]{0,39}):\s*)?(?P<line>\S.*)")
MARK = re.compile(r"\{\{([^{}\n]{1,1000})\}\}")
"""A reference in a text, whatever is inside."""


@dataclass(frozen=True)
class Reference:
    """What somebody refers to."""

    source: str
    what: str
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As it stands between the braces."""
        parts = f"({'; '.join(self.parts)})" if self.parts else ""
        return f"{self.source}.{self.what}{parts}"


def read(text: str) -> Reference | None:
    """The reference that stands between braces; None where it is none."""
    found = _FORM.fullmatch(text)
    if found is None or len(text) > LONGEST:
        return None
    said = found["parts"]
    parts = () if said is None else tuple(one.strip() for one in said.split(";", 2))
    return Reference(found["source"], found["what"], parts if any(parts) else ())


@dataclass(frozen=True)
class ClaimReference:
    """What somebody claims of a source's figures."""

    source: str
    """Empty: of the only one that there is."""
    line: str

    def __str__(self) -> str:
        """As it stands between the braces."""
        return f"claim {self.source}: {self.line}" if self.source else f"claim {self.line}"


def read_claim(text: str) -> ClaimReference | None:
    """The claim that stands between braces; None where it is none."""
    found = _CLAIM.fullmatch(text)
    return None if found is None else ClaimReference(found["source"] or "", found["line"].strip())


def marked(what: str) -> str:
    """As it stands in a text."""
    return f"{{{{{what}}}}}"


def wanted(text: str) -> Sequence[str]:
    """All that a text refers to, each once, in the order of the text; what is no reference, too."""
    return list(dict.fromkeys(one.strip() for one in MARK.findall(text)))
