"""Windows of a browser that are used again: what costs is the process behind a new one.

A window that somebody gives back is made as new, except that the browser has the scripts of its
address already, compiled: cookies, storage, permissions, routes, history and what it was made to
look like are undone. A page in it costs a third of one in a new window.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Error, Page

from weighhouse_testing.browser import PATIENCE_MS, WIDE, Window, cookies_of

KEPT = 4
"""Windows that wait for the next one who opens some; each is a process with its memory."""
QUIET = "/mark.svg"
"""A picture of the platform: nothing runs there, and it is of the process of its pages."""
_EMPTIED = """async () => {
  localStorage.clear()
  sessionStorage.clear()
  for (const one of await indexedDB.databases()) indexedDB.deleteDatabase(one.name)
}"""


@dataclass(frozen=True)
class _Held:
    """A window, and what was chosen when it was made and stays."""

    page: Page
    url: str
    policy: bool
    errors: list[str] = field(default_factory=list)
    """Of scripts on it, since it was opened."""


@dataclass
class Windows:
    """All windows of a browser."""

    browser: Browser
    _free: list[_Held] = field(default_factory=list)
    _cookies: dict[tuple[str, str], Sequence[Any]] = field(default_factory=dict)

    @contextmanager
    def lent(self, url: str, account: tuple[str, str] | None = None) -> Iterator[Window]:
        """Opens windows of a platform, taken back afterwards; an error in a script fails the test.

        What is lent takes a size and a theme, and by name: `signed`, whether the account is signed
        in (default: yes, when there is one); `moves`, whether things move on the page; `policy`,
        whether the pages' own policy holds, which keeps a test's scripts out; `fresh`, whether
        nobody may have used it, so that its scripts are to be compiled; `permissions`.

        :param url: the platform's address.
        :param account: email and password of who looks at it.
        """
        held: list[_Held] = []

        def opened(
            size: tuple[int, int] = WIDE,
            theme: str = "light",
            *,
            signed: bool = True,
            moves: bool = False,
            policy: bool = False,
            fresh: bool = False,
            permissions: Sequence[str] = (),
        ) -> Page:
            one = self._made(url, policy=policy) if fresh else self._window(url, policy=policy)
            held.append(one)
            page = one.page
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.emulate_media(
                media="screen",
                color_scheme="dark" if theme == "dark" else "light",
                reduced_motion="no-preference" if moves else "reduce",
            )
            if account and signed:
                page.context.add_cookies(self._signed_in(url, *account))
            if permissions:
                page.context.grant_permissions(permissions)
            return page

        try:
            yield opened
        finally:
            errors = [error for one in held for error in one.errors]
            for one in held:
                self._take_back(one)
        assert errors == []

    def close(self) -> None:
        """Close those that wait."""
        while self._free:
            self._free.pop().page.context.close()

    def _window(self, url: str, *, policy: bool) -> _Held:
        for one in reversed(self._free):
            if (one.url, one.policy) == (url, policy):
                self._free.remove(one)
                return one
        return self._made(url, policy=policy)

    def _made(self, url: str, *, policy: bool) -> _Held:
        context = self.browser.new_context(
            base_url=url,
            bypass_csp=not policy,
            viewport={"width": WIDE[0], "height": WIDE[1]},
        )
        context.set_default_timeout(PATIENCE_MS)
        made = _Held(context.new_page(), url, policy)
        made.page.on("pageerror", lambda error: made.errors.append(str(error)))
        return made

    def _take_back(self, held: _Held) -> None:
        try:
            _make_new(held)
        except Error:  # it crashed, or a test closed it
            held.page.context.close()
            return
        self._free.append(held)
        if len(self._free) > KEPT:
            self._free.pop(0).page.context.close()

    def _signed_in(self, url: str, email: str, password: str) -> Sequence[Any]:
        """Cookies of somebody, who signs in once."""
        known: Mapping[tuple[str, str], Sequence[Any]] = self._cookies
        if (url, email) not in known:
            self._cookies[url, email] = cookies_of(url, email, password)
        return self._cookies[url, email]


def _make_new(held: _Held) -> None:
    """Undo what was done in a window."""
    page, context = held.page, held.page.context
    for other in context.pages:
        if other is not page:
            other.close()
    page.unroute_all()
    context.unroute_all()
    context.set_offline(False)
    context.clear_cookies()
    context.clear_permissions()
    page.goto(held.url + QUIET)
    page.evaluate(_EMPTIED)
    context.clear_cookies()  # again: the page that was left may have set some until it was
    session = context.new_cdp_session(page)
    session.send("Page.resetNavigationHistory")
    session.detach()
    page.set_default_timeout(PATIENCE_MS)
    held.errors.clear()
