"""The system: answers each byte with the same byte. Arguments: port, behaviour, address."""

import selectors
import signal
import socket
import sys

PORT, BEHAVIOUR = int(sys.argv[1]), sys.argv[2]
ENOUGH = 50

if BEHAVIOUR == "dies_at_start":
    sys.stderr.write("scale: the pan is missing\n")
    sys.exit(3)
if BEHAVIOUR == "ignores_sigterm":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind((sys.argv[3], PORT))
listener.listen()
selector = selectors.DefaultSelector()
selector.register(listener, selectors.EVENT_READ)
answered = 0
while True:
    for key, _ in selector.select():
        connection = key.fileobj
        if connection is listener:
            selector.register(listener.accept()[0], selectors.EVENT_READ)
            continue
        data = connection.recv(4096)
        if not data:
            selector.unregister(connection)
            connection.close()
            continue
        connection.sendall(data)
        answered += data.count(b"w")
        if BEHAVIOUR == "dies_under_load" and answered > ENOUGH:
            sys.stderr.write("scale: too heavy\n")
            sys.exit(9)
