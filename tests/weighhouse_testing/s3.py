"""A real S3-compatible store on this machine: s3proxy, which keeps its buckets in memory."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest
from minio import Minio
from weighhouse_cli.embedded.directory import free_port

from weighhouse_testing.waits import until

ACCESS_KEY, SECRET_KEY, BUCKET = "weighhouse", "a secret of tests", "files-of-runs"
VARIABLE = "WEIGHHOUSE_S3PROXY"


class Store:
    """The store; its bucket is there."""

    def __init__(self, directory: Path) -> None:
        """Start it."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/{BUCKET}"
        self.client = Minio(
            f"127.0.0.1:{self.port}", access_key=ACCESS_KEY, secret_key=SECRET_KEY, secure=False,
            region="us-east-1",
        )  # fmt: skip
        self._settings = directory / "s3proxy.conf"
        self._settings.write_text(
            f"s3proxy.endpoint=http://127.0.0.1:{self.port}\n"
            f"s3proxy.authorization=aws-v2-or-v4\ns3proxy.identity={ACCESS_KEY}\n"
            f"s3proxy.credential={SECRET_KEY}\njclouds.provider=transient-nio2\n"
            "jclouds.identity=none\njclouds.credential=none\n",
            encoding="utf-8",
        )
        self.start()

    def start(self) -> None:
        """Start it, empty but for its bucket."""
        jar = Path(os.environ[VARIABLE]) / "s3proxy.jar"
        self.process = subprocess.Popen(
            ["java", "-Xmx256m", "-jar", jar, "--properties", self._settings],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until("the store answers", self._answers)
        self.client.make_bucket(BUCKET)

    def stop(self) -> None:
        """Stop it; what it held is gone."""
        self.process.kill()
        self.process.wait()

    def keys(self) -> list[str]:
        """Names of what is in the bucket."""
        found = self.client.list_objects(BUCKET, recursive=True)
        return sorted(str(one.object_name) for one in found)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/").status_code > 0
        except httpx.TransportError:
            return False


@contextmanager
def running_store() -> Iterator[Store]:
    """Start a store; stop it afterwards. Without its program the test does not run, and says so."""
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} names no s3proxy; source infra/build/maven.sh s3proxy")
    with TemporaryDirectory() as directory:
        store = Store(Path(directory))
        try:
            yield store
        finally:
            store.stop()
