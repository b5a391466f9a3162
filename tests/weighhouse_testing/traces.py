"""What a browser did between two moments, as it tells itself."""

from typing import Any, Self

from playwright.sync_api import CDPSession, Page

CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
TASKS = ("RunTask", "ThreadControllerImpl::RunTask", "ThreadPool_RunTask")


class Trace:
    """Of one page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session: CDPSession = page.context.new_cdp_session(page)
        self.events: list[dict[str, Any]] = []
        self.session.on("Tracing.dataCollected", lambda data: self.events.extend(data["value"]))
        self.ended = False
        self.session.on("Tracing.tracingComplete", lambda _: setattr(self, "ended", True))

    def __enter__(self) -> Self:
        config = {"includedCategories": CATEGORIES}
        self.session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
        return self

    def __exit__(self, *_: object) -> None:
        self.session.send("Tracing.end")
        while not self.ended:
            self.page.wait_for_timeout(50)
        self.session.detach()

    def tasks_ms(self) -> list[float]:
        """Processor time of each task of the page's main thread, ms."""
        threads = {
            (event["pid"], event["tid"])
            for event in self.events
            if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
        }
        return [
            event["tdur"] / 1000
            for event in self.events
            if event["name"] in TASKS
            and (event["pid"], event["tid"]) in threads
            and "tdur" in event
        ]
