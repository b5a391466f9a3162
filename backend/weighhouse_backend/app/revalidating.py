"""Answers that browsers keep and ask for again: what needs a login is never shown without one."""

import hashlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.kit.etags import ASK_AGAIN, is_known

MOST_BYTES = 32 * 1024 * 1024
"""A longer answer goes out as it comes, and is not kept."""
OF_THE_BODY = ("content-length", "content-type", "content-disposition")


class Revalidation:
    """ASGI middleware: an answer that says `ASK_AGAIN` gets a tag of its content, where it has
    none, and is not sent again to who has it. Who asks is known by then, as for each answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope).get("If-None-Match")
        held: list[Message] = []

        async def look_and_send(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_kept(message):
                held.append(message)
                return
            if not held:
                await send(message)
                return
            held.append(message)
            size = sum(len(each.get("body", b"")) for each in held)
            if not message.get("more_body", False):
                await _answer(held, asked, send)
            elif size > MOST_BYTES:
                MutableHeaders(scope=held[0])["Cache-Control"] = "no-store"
                for each in held:
                    await send(each)
                held.clear()

        await self._app(scope, receive, look_and_send)


def _is_kept(start: Message) -> bool:
    return start["status"] == 200 and (  # noqa: PLR2004 - OK of HTTP
        Headers(raw=start["headers"]).get("Cache-Control") == ASK_AGAIN
    )


async def _answer(held: list[Message], asked: str | None, send: Send) -> None:
    start, *pieces = held
    body = b"".join(each.get("body", b"") for each in pieces)
    headers = MutableHeaders(scope=start)
    headers.setdefault("ETag", f'"{hashlib.sha256(body).hexdigest()[:32]}"')
    headers.add_vary_header("Cookie, Authorization")
    if is_known(asked, headers["ETag"]):
        for name in OF_THE_BODY:
            del headers[name]
        start["status"], body = 304, b""
    await send(start)
    await send({"type": "http.response.body", "body": body})
