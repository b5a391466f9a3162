"""A network of one machine's own to the platform, which can be cut and mended.

Every agent of a test talks to the platform through a link of its own. A link that is cut passes
nothing on in either direction and closes nothing, as a cable that is pulled: connections stay,
requests wait, new connections are taken and hear nothing.
"""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

BYTES = 1 << 16


@dataclass
class Link:
    """Passes TCP on from a port of its own to another one of this machine."""

    to_port: int
    port: int = 0
    """Where it listens, on 127.0.0.1; drawn when it opens."""
    cuts: int = 0
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _whole: asyncio.Event = field(default_factory=asyncio.Event)
    _pumps: set[asyncio.Task[None]] = field(default_factory=set)
    _thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Address of the platform as seen through the link."""
        return f"http://127.0.0.1:{self.port}"

    def open(self) -> None:
        """Begin to pass on."""
        self._whole.set()
        ready = threading.Event()

        async def serve() -> None:
            server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            async with server:
                await server.serve_forever()

        def work() -> None:
            asyncio.set_event_loop(self._loop)
            with contextlib.suppress(asyncio.CancelledError):
                self._loop.run_until_complete(serve())

        self._thread = threading.Thread(target=work, name="link", daemon=True)
        self._thread.start()
        ready.wait()

    def close(self) -> None:
        """End it and every connection through it."""

        def end() -> None:
            for task in asyncio.all_tasks(self._loop):
                task.cancel()

        self._loop.call_soon_threadsafe(end)
        if self._thread is not None:
            self._thread.join(120)

    def cut(self) -> None:
        """Pass nothing on from now."""
        self.cuts += 1
        self._loop.call_soon_threadsafe(self._whole.clear)

    def mend(self) -> None:
        """Pass on again, what was held back first."""
        self._loop.call_soon_threadsafe(self._whole.set)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._whole.wait()
            onward = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:
            writer.close()
            return
        pumps = [
            asyncio.ensure_future(self._pump(reader, onward[1])),
            asyncio.ensure_future(self._pump(onward[0], writer)),
        ]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for each in (writer, onward[1]):
            each.close()
        for pump in pumps:
            pump.cancel()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(BYTES):
                await self._whole.wait()
                writer.write(data)
                await writer.drain()


@contextlib.contextmanager
def link_to(port: int) -> Iterator[Link]:
    """A link to a port of this machine, open until the context is left."""
    link = Link(port)
    link.open()
    try:
        yield link
    finally:
        link.close()
