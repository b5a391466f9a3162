"""Tells how far a tool is, in lines that can be read beside those of others.

usage: TOOL … 2>&1 | progress.py apt|cargo|maven|npm|uv [WHAT] [TOTAL]

Standard input is the tool's output, bars and all; a line of progress goes to standard error every
few seconds at most, and what is neither progress nor a tool's small talk passes as it is.
Python's standard library alone: this runs before anything is installed.
"""

import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator

EVERY_SECONDS = 4.0
STILL_SECONDS = 20.0
Teller = Callable[[str], "str | None"]
"""Given a piece of output: what can be said now; "" when the piece says nothing; None: pass it."""
COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def cargo(what: str, _total: str) -> Teller:
    """Cargo with its bar always on: CARGO_TERM_PROGRESS_WHEN=always, CARGO_TERM_PROGRESS_WIDTH."""
    bar = re.compile(r"Building \[.*\] (\d+)/(\d+)(?:: (.*))?")
    loading = re.compile(r"Downloading (\d+) crates?(?:, remaining bytes: ([\d.]+ ?\w+))?")
    loaded = re.compile(r"Downloaded (\d+ crates? \(.*\)) in")
    small = re.compile(
        r"(Compiling|Downloaded|Downloading|Updating|Locking|Adding|Finished|Fresh|Blocking|Building"
        r"|Fetch)\b"
    )

    def tell(piece: str) -> str | None:
        if found := bar.match(piece):
            now = f" ({found[3]})" if found[3] else ""
            return f"{what}: compiling {found[1]} of {found[2]}{now}"
        if found := loading.match(piece):
            left = f", {found[2]} left" if found[2] else ""
            return f"{what}: {found[1]} crates to download{left}"
        if found := loaded.match(piece):
            return f"{what}: {found[1]} downloaded"
        return "" if small.match(piece) else None

    return tell


def maven(what: str, _total: str) -> Teller:
    """Maven without -q and -B: it shows what it downloads."""
    files = 0

    def tell(piece: str) -> str | None:
        nonlocal files
        if piece.startswith("Downloaded from"):
            files += 1
        elif piece.startswith("Progress"):
            sizes = re.findall(r"([\d.]+)/([\d.]+) MB", piece)
            if sizes:
                got, size = max(sizes, key=lambda pair: float(pair[1]))
                return f"{what}: {got} of {size} MB"
        return f"{what}: {files} files" if files else ""

    return tell


def npm(what: str, total: str) -> Teller:
    """Npm with --loglevel=http; `total` is how many packages there are."""
    asked = fetched = 0

    def tell(piece: str) -> str | None:
        nonlocal asked, fetched
        if piece.startswith(("npm http fetch", "npm http cache")):
            if ".tgz" in piece:
                fetched += 1
            else:
                asked += 1
            return f"{what}: {fetched} of {total}" if fetched else f"{what}: {asked} looked up"
        # Engines that a package would like better, and a hint to npm's own settings.
        return "" if piece.startswith(("npm warn", "npm http", "added ", "npm notice")) else None

    return tell


def uv(what: str, _total: str) -> Teller:
    """Uv without -q: it names what is large enough to take a while."""
    under_way: dict[str, str] = {}
    packages = ""

    def tell(piece: str) -> str | None:
        nonlocal packages
        if found := re.match(r"Resolved (\d+) packages?", piece):
            packages = found[1]
            return f"{what}: {packages} packages"
        if found := re.match(r"(Downloading|Building) (\S+)(?: \((.*)\))?", piece):
            under_way[found[2]] = found[3] or ""
        elif found := re.match(r"(Downloaded|Built) (\S+)", piece):
            under_way.pop(found[2], None)
        elif re.match(r"(Using|Prepared|Uninstalled|Installed|Audited|Bytecode|[-+~] )", piece):
            return ""
        else:
            return None
        left = ", ".join(f"{name} {size}".strip() for name, size in under_way.items())
        return f"{what}: downloading {left}" if left else f"{what}: downloaded"

    return tell


def apt(what: str, _total: str) -> Teller:
    """apt-get with -o APT::Status-Fd=1: its log stays with whoever calls it, so nothing passes."""
    size = ""

    def tell(piece: str) -> str | None:
        nonlocal size
        if found := re.match(r"Need to get (.*) of archives", piece):
            size = f" of {found[1].split('/')[-1]}"
        elif found := re.match(r"dlstatus:[^:]*:([\d.]+):", piece):
            return f"{what}: {float(found[1]):.0f} %{size} downloaded"
        elif found := re.match(r"pmstatus:([^:]*):([\d.]+):(.*)", piece):
            return f"{what}: {float(found[2]):.0f} % installed ({found[1]})"
        return ""

    return tell


TELLERS: dict[str, Callable[[str, str], Teller]] = {
    "apt": apt, "cargo": cargo, "maven": maven, "npm": npm, "uv": uv,
}  # fmt: skip


def pieces(descriptor: int) -> Iterator[str]:
    """What is written between ends of line and carriage returns, without colours and margins.

    Now and then an empty one while nothing is written, so that whoever reads can look at the clock.
    """
    pending = ""
    while True:
        if not select.select([descriptor], [], [], EVERY_SECONDS)[0]:
            yield ""
            continue
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            break
        *whole, pending = re.split(r"[\r\n]", pending + chunk.decode(errors="replace"))
        yield from (COLOURS.sub("", each).strip() for each in whole)
    yield COLOURS.sub("", pending).strip()


def follow(
    found: Iterator[str], tell: Teller, write: Callable[[str], None], now: Callable[[], float]
) -> None:
    """Write what the teller says of the pieces: seldom, and the last word in any case.

    What goes on for long without a new word is said again, with how long that has been.
    """
    said = waiting = ""
    new_at = said_at = now() - EVERY_SECONDS
    for piece in found:
        sentence = tell(piece) if piece else ""
        if sentence is None:
            write(piece)
            continue
        waiting = sentence or waiting
        instant = now()
        if waiting != said and instant - said_at >= EVERY_SECONDS:
            write(f"· {waiting}")
            said, new_at, said_at = waiting, instant, instant
        elif said and instant - said_at >= STILL_SECONDS:
            write(f"· {waiting}, for {instant - new_at:.0f} s")
            said, said_at = waiting, instant
    if waiting != said:
        write(f"· {waiting}")


def main() -> None:
    """Follow standard input."""
    tool, what, total = [*sys.argv[1:], "", ""][:3]

    def write(line: str) -> None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - that is what it is for

    follow(pieces(0), TELLERS[tool](what or tool, total), write, time.monotonic)


if __name__ == "__main__":
    main()
