"""Every way in to a server of Redis' kind, and how one is started for it."""

from pathlib import Path

from weighhouse_sdk.machine.certificates import CERTIFICATE, KEY
from weighhouse_sdk.testkit.ways_in import Way

NAME = "cache.example"
"""In no directory of names: who looks it up does not find it."""
WAYS = {
    "IPv4": Way("tcp://127.0.0.1:PORT"),
    "IPv6": Way("tcp://[::1]:PORT", host="::1"),
    "name": Way(f"tcp://{NAME}:PORT", hosts={NAME: ("::1", "127.0.0.9", "127.0.0.1")}),
    "socket": Way("unix://DIRECTORY/s.sock"),
    "TLS by name": Way(f"tls://{NAME}:PORT", hosts={NAME: ("127.0.0.1",)}),
    "TLS by name, IPv6": Way(f"tls://{NAME}:PORT", host="::1", hosts={NAME: ("::1",)}),
    "own certificate": Way(f"tls://{NAME}:PORT", hosts={NAME: ("127.0.0.1",)}, own=True),
    "another name": Way("tls://127.0.0.1:PORT", options={"tls_server_name": NAME}),
    "another name by policy": Way("tls://127.0.0.1:PORT", server_name=NAME),
}


def redis(way: Way, port: int, directory: Path, program: str = "redis-server") -> list[str]:
    """A Redis' command line, or a relative's.

    :param directory: with what `certify` made below `tls`.
    """
    words = [program, "--save", "", "--dir", str(directory), "--bind", way.host]
    words += ["--unixsocket", str(directory / "s.sock")]
    if not way.secured:
        return [*words, "--port", str(port)]
    words += ["--port", "0", "--tls-port", str(port)]
    words += ["--tls-auth-clients", "yes" if way.own else "no"]
    files = {"cert": CERTIFICATE, "key": KEY, "ca-cert": "authority.pem"}
    for name, file in files.items():
        words += [f"--tls-{name}-file", str(directory / "tls" / file)]
    return words
