"""Bodies of requests: who sends one is known before more of it is read than anybody may send, and
it is read off the event loop.

What an operation takes stands next to it, by `takes`; without a word it is little. Whoever may send
more is recognized by the headers, before a byte beyond that is taken; the operation's own
dependencies still ask for everything.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Hashable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, RootModel, TypeAdapter
from sqlalchemy.orm import Session

from weighhouse_backend.kit.json_bodies import Found, Read, faults_in, is_json, read, too_much
from weighhouse_backend.kit.problems import BodyTooLarge, Problem
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.underway import Underway
from weighhouse_backend.kit.unit_of_work import unit_of_work

KIBIBYTE, MEBIBYTE = 1024, 1024 * 1024
SMALL_BYTES = 64 * KIBIBYTE
"""What anybody may send, and what an operation takes that says nothing else."""
ON_LOOP_BYTES = 4 * KIBIBYTE
"""Reading so little takes less than handing it to a thread."""
READERS = 2
"""Threads that read bodies; each holds the interpreter while it is at it."""
AGENTS = "/agent/"
SAID = "x-body-bytes"
"""Under this name an operation says in the API's document how much it takes."""

UNFIT = False
"""Stands in the place of a body that is not right; no model takes it, as it would an object without
attributes.
"""

Recogniser = Callable[[Request, Session], Hashable]
"""Whose body it is, by a request's headers; raises a problem where it is nobody's."""
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class BodyTooSlow(Problem, status=408, title="The request's body came too slowly"):
    """A body came too slowly, or not whole."""


class EncodingNotTaken(Problem, status=415, title="Bodies are taken as they are, not compressed"):
    """A body is compressed."""


class BodyCutShort(Problem):
    """Whoever sent a body went away; nobody reads this."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What an operation takes for a body."""

    most_bytes: int = SMALL_BYTES
    known: Recogniser | None = None
    """Recognizes who may send more than anybody may."""
    as_file: bool = False
    """It is passed on piece by piece, and takes no memory."""


def takes(
    most_bytes: int, known: Recogniser, *, as_file: bool = False
) -> Callable[[Endpoint], Endpoint]:
    """Declare how much of a body an operation takes, and of whom."""

    def declare(endpoint: Endpoint) -> Endpoint:
        endpoint.__dict__["taken"] = Taken(most_bytes, known, as_file)
        return endpoint

    return declare


class Bodies:
    """What a process has under way of large bodies, and who reads them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        largest = max(settings.body_megabytes, settings.agent_body_megabytes)
        self.memory = self._room(max(settings.bodies_megabytes, 2 * largest))
        self.files = self._room(settings.files_megabytes)
        self.readers = CapacityLimiter(READERS)

    def _room(self, megabytes: float) -> Underway:
        most = int(megabytes * MEBIBYTE)
        return Underway(most, most // 2, self.settings.body_wait_seconds)

    def most(self, taken: Taken, path: str) -> int:
        """The bytes of an operation, within what the installation allows."""
        if taken.as_file:
            return taken.most_bytes
        agents = path.startswith(AGENTS)
        own = self.settings.agent_body_megabytes if agents else self.settings.body_megabytes
        return min(taken.most_bytes, int(own * MEBIBYTE))


def install_bodies(app: FastAPI, settings: Settings) -> None:
    """Give an application its room for bodies."""
    app.state.bodies = Bodies(settings)


class Received(Request):
    """A request whose body is received within bounds, once."""

    def __init__(self, request: Request, taken: Taken) -> None:
        super().__init__(request.scope, request.receive)
        self._taken = taken
        self._bodies: Bodies = request.app.state.bodies
        self._most = self._bodies.most(taken, request.scope["path"])
        self._held = AsyncExitStack()
        self._content: bytes | None = None
        self._read = Read()

    async def close(self) -> None:
        """Give back the room of the body."""
        await self._held.aclose()

    async def body(self) -> bytes:
        """The whole body; of JSON that is for no model, held against what JSON may have."""
        if self._content is None:
            content = await self._whole()
            if is_json(self.headers.get("Content-Type")):
                _require_little(content)
                if faults := faults_in(content):
                    raise RequestValidationError(faults)
        return await self._whole()

    async def _whole(self) -> bytes:
        if self._content is None:
            self._content = b"".join([piece async for piece in self.stream()])
        return self._content

    async def json(self) -> Any:
        """What `read_as` made of the body; FastAPI asks for it once it has seen its type."""
        return UNFIT if self._read.errors else self._read.value

    async def read_as(self, adapter: TypeAdapter[Any]) -> None:
        """Receive the body and read it as a model. What is wrong with it is told later: first it is
        said who may ask at all.
        """
        content = await self._whole()
        if not content or not is_json(self.headers.get("Content-Type")):
            return
        _require_little(content)
        if len(content) <= ON_LOOP_BYTES:
            self._read = read(adapter, content)
        else:
            self._read = await to_thread.run_sync(
                read, adapter, content, limiter=self._bodies.readers
            )

    def refusal(self, error: RequestValidationError) -> RequestValidationError:
        """What FastAPI refuses of a request, with what is wrong with its body."""
        if not self._read.errors:
            return error
        others: list[Found] = [one for one in error.errors() if one["loc"][:1] != ("body",)]
        return RequestValidationError([*others, *self._read.errors])

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """The body in pieces, as they come.

        :raises EncodingNotTaken: when it is compressed.
        :raises BodyTooLarge: as soon as that is known.
        :raises BodyTooSlow: when it takes too long.
        """
        length = self._announced()
        if length > min(SMALL_BYTES, self._most):
            await self._make_room(length, await self._whose())
        settings = self._bodies.settings
        end_at = asyncio.get_running_loop().time() + settings.body_patience_seconds
        least = settings.body_least_kilobytes_per_second * KIBIBYTE
        received, more = 0, True
        while more:
            try:
                async with asyncio.timeout_at(end_at + received / least):
                    message = await self.receive()
            except TimeoutError:
                raise self._too_slow(received) from None
            if message["type"] == "http.disconnect":
                raise BodyCutShort(f"the body ended after {received:,} bytes")
            piece = message.get("body", b"")
            received += len(piece)
            if received > SMALL_BYTES >= max(length, received - len(piece)):
                await self._make_room(self._most, await self._whose())
            if received > self._most:
                raise self._too_large()
            more = message.get("more_body", False)
            yield piece

    def _announced(self) -> int:
        """The length that the headers tell, or the least that is too much; 0: none is told."""
        encoding = self.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in {"", "identity"}:
            raise EncodingNotTaken(
                f"the body is said to be {encoding[:40]}; send it without Content-Encoding",
                headers={"Accept-Encoding": "identity"},
            )
        told = self.headers.get("Content-Length", "").lstrip("0")
        if not told.isdecimal():
            return 0
        # Those of many digits take long to become a number.
        return int(told) if len(told) <= len(str(self._most)) else self._most + 1

    async def _whose(self) -> Hashable:
        """:raises Problem: when it is nobody who may send more than anybody."""
        if self._taken.known is None:
            return None
        async with self.app.state.session_turns:
            return await to_thread.run_sync(self._recognized, self._taken.known)

    async def _make_room(self, size: int, whose: Hashable) -> None:
        """:raises Problem: when it is too large, or there is none."""
        if size > self._most:
            raise self._too_large()
        room = self._bodies.files if self._taken.as_file else self._bodies.memory
        await self._held.enter_async_context(room.hold(whose, size))

    def _recognized(self, known: Recogniser) -> Hashable:
        with unit_of_work(self.app.state.session_factory) as session:
            return known(self, session)

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(f"a body may have {self._most:,} bytes here")

    def _too_slow(self, received: int) -> BodyTooSlow:
        settings = self._bodies.settings
        return BodyTooSlow(
            f"{received:,} bytes came; {settings.body_least_kilobytes_per_second:g} KiB a second "
            f"is the least after {settings.body_patience_seconds:g} s"
        )


def _require_little(content: bytes) -> None:
    if much := too_much(content):
        raise BodyTooLarge(much)


class BoundedRoute(APIRoute):
    """An operation that reads its body by the rules of this module."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint, **more)
        extra = self.openapi_extra or {}
        if self.body_field is not None or "requestBody" in extra or "taken" in endpoint.__dict__:
            self.openapi_extra = {**extra, SAID: taken_by(endpoint).most_bytes}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wraps FastAPI's own."""
        handle = super().get_route_handler()
        taken, adapter = taken_by(self.endpoint), self._adapter()

        async def bounded(request: Request) -> Response:
            received = Received(request, taken)
            try:
                if adapter is not None:
                    await received.read_as(adapter)
                return await handle(received)
            except RequestValidationError as error:
                raise received.refusal(error) from None
            finally:
                await received.close()

        return bounded

    def _adapter(self) -> TypeAdapter[Any] | None:
        """:raises TypeError: when a body is not one model: what is not right would pass."""
        if self.body_field is None:
            return None
        annotation = self.body_field.field_info.annotation
        if (
            not isinstance(annotation, type)
            or not issubclass(annotation, BaseModel)
            or issubclass(annotation, RootModel)
        ):
            message = f"{self.path}: a body is one model, not {annotation}"
            raise TypeError(message)
        return TypeAdapter(annotation)


def taken_by(endpoint: Callable[..., Any]) -> Taken:
    """What an operation takes for a body."""
    found: Taken = endpoint.__dict__.get("taken", Taken())
    return found
