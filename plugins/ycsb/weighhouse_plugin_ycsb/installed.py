"""Finds YCSB: a folder with `lib/core-….jar`, and a folder `…-binding` for each system."""

import os
import re
from pathlib import Path

from weighhouse_sdk.errors import BinaryMissing

HINT = "unpack YCSB's archive and name its folder by WEIGHHOUSE_YCSB or YCSB_HOME"
JAR = re.compile(r"^core-(\d+\.\d+\S*)\.jar$")


def home() -> tuple[Path, str]:
    """The folder, and the version of YCSB that it is of.

    :raises BinaryMissing: with where to get it.
    """
    named = [os.environ.get(name) for name in ("WEIGHHOUSE_YCSB", "YCSB_HOME")]
    for place in (Path(each) for each in named if each):
        for jar in sorted((place / "lib").glob("core-*.jar")):
            if (found := JAR.match(jar.name)) is not None:
                return place, found.group(1)
    raise BinaryMissing("ycsb", hint=HINT)


def class_path(place: Path, binding: str) -> str:
    """What Java needs for one system. The newest HdrHistogram comes first: that of YCSB 0.17.0
    uses a class which Java lost with version 11.

    :param binding: for example `redis`.
    :raises BinaryMissing: when the folder has none for that system.
    """
    folder = place / f"{binding}-binding"
    if not folder.is_dir():
        raise BinaryMissing(f"{binding}-binding of YCSB", hint=HINT)
    libraries = (place / "lib", folder / "lib")
    histograms = [jar for each in libraries for jar in each.glob("HdrHistogram-*.jar")]
    parts = [*sorted(histograms, key=_number, reverse=True), *(each / "*" for each in libraries)]
    return os.pathsep.join([str(folder / "conf"), *map(str, parts)])


def _number(jar: Path) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", jar.name)]
