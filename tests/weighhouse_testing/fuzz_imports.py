"""Breaks samples on purpose and reads them, importer by importer: `make fuzz-imports`.

`python -m weighhouse_testing.fuzz_imports SECONDS [FORMAT…]`. Nothing but a refusal may come out,
no input may take long, and memory stays bounded; ends with 1 and the input's file otherwise.
"""

import random
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from weighhouse_imports.importer import Importer
from weighhouse_imports.opened import HEAD_BYTES, of_bytes
from weighhouse_imports.reader import read_files
from weighhouse_imports.registry import importers
from weighhouse_imports.testkit import mutations, survived
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_testing.given_results import given
from weighhouse_testing.tree import REPOSITORY

SAMPLES = REPOSITORY / "plugins/imports/tests" / "samples"
MOST_SAMPLE_BYTES = 200_000
LONGEST_SECONDS = 20.0
MOST_MEBIBYTES = 600


def seeds(importer: Importer) -> list[tuple[str, bytes]]:
    """Samples that an importer recognises, those of others among them where they are here."""
    place = given()
    given_paths = (place.glob(pattern) for pattern in ("*/*", "imports/*/*")) if place else ()
    paths = [*SAMPLES.iterdir(), *chain.from_iterable(given_paths)]
    files = ((path.name, path.read_bytes()) for path in sorted(paths) if path.is_file())
    return [
        (name, data)
        for name, data in files
        if len(data) <= MOST_SAMPLE_BYTES and importer.recognises(data[:HEAD_BYTES], name)
    ]


def inputs(importer: Importer, seed: int) -> Iterator[tuple[str, bytes]]:
    """Broken forms of all of them, in turn, without end."""
    found = seeds(importer)
    broken = [(name, mutations(data, seed + at)) for at, (name, data) in enumerate(found)]
    while True:
        for name, forms in broken:
            yield name, next(forms)


def read(importer: Importer, name: str, data: bytes) -> bool:
    """Read one input.

    :returns: whether something came of it.
    """
    if not importer.manifest.takes_along or importer.name == "ycsb":
        return survived(importer, name, data).results is not None
    beside = [(each.name, each.read_bytes()) for each in (SAMPLES / "ycsb.txt",)]
    files = [of_bytes(f"f/{one}", text) for one, text in [(name, data), *beside]]
    preview = read_files(files)
    if preview.results is not None:
        PublishedResults.model_validate_json(preview.results.model_dump_json())
    return preview.results is not None


def fuzz(importer: Importer, seconds: float) -> bool:
    """Break one importer's samples for so long.

    :returns: whether all went well.
    """
    seed = random.SystemRandom().randrange(2**32)
    if not seeds(importer):
        sys.stdout.write(f"{importer.name}: there is no sample here\n")
        return True
    begun = time.monotonic()
    tried = came = 0
    slowest = 0.0
    for name, data in inputs(importer, seed):
        started = time.monotonic()
        if started - begun > seconds:
            break
        try:
            came += read(importer, name, data)
        except Exception:  # noqa: BLE001 - whatever comes is what is looked for
            kept = Path(f"fuzz-{importer.name}-{seed}.bin")
            kept.write_bytes(data)
            sys.stdout.write(f"{importer.name}: {name} broke it; input in {kept}\n")
            traceback.print_exc(file=sys.stdout)
            return False
        tried += 1
        slowest = max(slowest, time.monotonic() - started)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    well = slowest <= LONGEST_SECONDS and used <= MOST_MEBIBYTES
    sys.stdout.write(
        f"{importer.name}: {tried:,} inputs in {seconds:g} s, seed {seed}, {came:,} read, slowest "
        f"{slowest:.2f} s, {used} MiB at most{'' if well else ': TOO MUCH'}\n"
    )
    sys.stdout.flush()
    return well


def main() -> int:
    """All importers, or those named."""
    seconds = float(sys.argv[1])
    chosen = sys.argv[2:] or sorted(importers())
    went = [fuzz(importers()[name], seconds) for name in chosen]
    return 0 if all(went) else 1


if __name__ == "__main__":
    sys.exit(main())
