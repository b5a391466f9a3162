"""How much a page's scripts compute, counted: load of the machine changes nothing in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page


class Counted:
    """How often pieces of scripts ran: each function, and each branch within."""

    def __init__(self) -> None:
        self.times = 0
        """All of them together."""


@contextmanager
def counted(page: Page) -> Iterator[Counted]:
    """Counts what the scripts of a page run until this ends, by the browser's own coverage.

    A page that is loaded meanwhile counts from its first script on; what it replaces does not. In a
    window that has run the scripts before, most branches are not counted: ask for a fresh one.
    """
    session = page.context.new_cdp_session(page)
    session.send("Profiler.enable")
    session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
    found = Counted()
    yield found
    scripts = session.send("Profiler.takePreciseCoverage")["result"]
    found.times = sum(
        piece["count"]
        for script in scripts
        if "/assets/" in script["url"]
        for function in script["functions"]
        for piece in function["ranges"]
    )
    session.send("Profiler.stopPreciseCoverage")
    session.detach()
