"""`python -m supply sbom|licences|audit`: what `make sbom`, `make check` and `make audit` run."""

import argparse
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from supply import advisories, licences, listing

console = Console(stderr=True)
KNOWN, NOT_ASKED = 1, 3
"""Exit codes of `audit`: something is known against a part; somebody could not be asked."""


def main() -> int:
    """List, judge or ask; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    sbom = what.add_parser("sbom", help="write CycloneDX documents")
    sbom.add_argument("folder", type=Path)
    what.add_parser("licences", help="hold every part's licence against those that are allowed")
    what.add_parser("audit", help="ask what is known against any part; 3: somebody did not answer")
    arguments = parser.parse_args()
    try:
        if arguments.what == "sbom":
            return write(arguments.folder)
        return judge() if arguments.what == "licences" else ask()
    except listing.CannotList as error:
        console.print(f"{error}", style="red", markup=False)
        return 2


def write(folder: Path) -> int:
    """A document of each kind."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, make in listing.KINDS.items():
        document = make()
        file = folder / f"{kind}.cdx.json"
        file.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        console.print(f"{file}: {len(document['components'])} parts")
    return 0


def judge() -> int:
    """1 when a part may not be used."""
    parts = [one for kind, make in listing.KINDS.items() for one in listing.parts(kind, make())]
    refused = list(licences.refused(parts))
    for line in refused:
        console.print(line, style="red", markup=False, highlight=False)
    console.print(f"{len(parts)} parts, {len(refused)} under a licence that is not allowed")
    return 1 if refused else 0


def ask() -> int:
    """What is known, as a table."""
    answers = {kind: source() for kind, source in advisories.SOURCES.items()}
    table = Table("parts", "answered for", "not answered for", "known against them", box=None)
    for kind, answer in answers.items():
        silent = "nothing" if answer.whole else "nobody knows"
        missing = "0" if answer.whole else f"{answer.unasked or 'all'}: {answer.why}"
        found = "\n".join(answer.found) or silent
        # What others say is no markup.
        table.add_row(*map(Text, (kind, str(answer.asked), missing, found)))
    console.print(table)
    if any(answer.found for answer in answers.values()):
        return KNOWN
    return 0 if all(answer.whole for answer in answers.values()) else NOT_ASKED


if __name__ == "__main__":
    raise SystemExit(main())
