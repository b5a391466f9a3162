"""A way to a server on which replies get lost."""

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

CHUNK = 1 << 16


@contextmanager
def swallowing(port: int, every: int, beginning: bytes = b"*") -> Iterator[int]:
    """Pass everything on to a server of this machine, but not each so many-th reply.

    :param every: which reply that begins so goes lost; its connection says nothing more of it.
    :param beginning: of the replies that are counted; each has to come in one piece.
    :returns: the port where it listens.
    """
    stop = threading.Event()
    count = iter(range(1, 1 << 60))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)

        def accept() -> None:
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    client, _ = listener.accept()
                    threading.Thread(target=serve, args=(client,)).start()

        def serve(client: socket.socket) -> None:
            with (
                client,
                socket.create_connection(("127.0.0.1", port)) as server,
                selectors.DefaultSelector() as selector,
                contextlib.suppress(OSError),
            ):
                selector.register(client, selectors.EVENT_READ, server)
                selector.register(server, selectors.EVENT_READ, client)
                while not stop.is_set():
                    for key, _ in selector.select(0.05):
                        chunk = key.fileobj.recv(CHUNK)  # type: ignore[union-attr]
                        if not chunk:
                            return
                        reply = key.fileobj is server and chunk.startswith(beginning)
                        if not (reply and next(count) % every == 0):
                            key.data.sendall(chunk)

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            stop.set()
            thread.join()
