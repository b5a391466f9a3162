"""What a page's load brings over the wire, counted: load of the machine changes nothing in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page


@dataclass
class Transferred:
    """Bytes that came, with their heads, by address."""

    of: dict[str, int] = field(default_factory=dict)

    def kilobytes(self, *without: str) -> float:
        """All that came, kB, but what addresses with one of these words in them brought."""
        kept = [size for path, size in self.of.items() if not any(one in path for one in without)]
        return sum(kept) / 1000

    def largest(self, many: int = 12) -> str:
        """The heaviest, for who has to make it lighter."""
        heavy = sorted(self.of.items(), key=lambda one: -one[1])[:many]
        return ", ".join(f"{path} {size / 1000:.1f} kB" for path, size in heavy)


@contextmanager
def transferred(page: Page) -> Iterator[Transferred]:
    """Counts what a page brings until this ends, by the browser's own account, its cache empty."""
    session = page.context.new_cdp_session(page)
    names: dict[str, str] = {}
    found = Transferred()

    def begun(data: dict[str, Any]) -> None:
        names[data["requestId"]] = urlsplit(data["request"]["url"]).path

    def ended(data: dict[str, Any]) -> None:
        path = names.get(data["requestId"], "")
        found.of[path] = found.of.get(path, 0) + int(data["encodedDataLength"])

    session.on("Network.requestWillBeSent", begun)
    session.on("Network.loadingFinished", ended)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    yield found
    session.detach()
