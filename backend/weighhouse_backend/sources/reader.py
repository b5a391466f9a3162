"""Reads files that somebody sent, as a program of its own (`python -m …reader ANSWER FORMAT FILE`).

Files of strangers are read here and nowhere else: within bounds of memory, time and size that the
kernel keeps, without the platform's settings, and away from everybody's requests.
"""

import os
import resource
import sys
from pathlib import Path

from weighhouse_imports.reader import ImporterMissing, Preview, read_paths
from weighhouse_imports.refusals import Refused
from weighhouse_judging.findings.published import published_findings
from weighhouse_protocol.published.figures import ImportNote

from weighhouse_backend.sources.schemas import PublishedPreviewRead, finding_read

MEMORY_BYTES = 1536 * 1024 * 1024
"""Addresses; of 200 MB of logs under 300 MB are really used."""
CPU_SECONDS = 120
ANSWER_BYTES = 64 * 1024 * 1024
MOST_WRITTEN_BYTES = 2 * 1024 * 1024 * 1024
"""Of one file, among them what an archive is unpacked to."""
NICE = 10


def main(arguments: list[str]) -> int:
    """Read one file, which may be an archive of many, and write what was understood.

    :param arguments: where the answer goes, the format (empty: recognised), the file.
    """
    answer, format_name, file = arguments
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, MOST_WRITTEN_BYTES),
    ):
        resource.setrlimit(kind, (most, most))
    os.nice(NICE)
    text = read(Path(file), format_name).model_dump_json(exclude_defaults=False)
    if len(text) > ANSWER_BYTES:
        text = _refusal("what it comes to is too much to be shown; import fewer files at a time")
    Path(answer).write_text(text, encoding="utf-8")
    return 0


def read(file: Path, format_name: str = "") -> PublishedPreviewRead:
    """What is understood of a file, and what is not."""
    try:
        preview = read_paths([file], format_name or None)
    except Refused as refused:
        preview = Preview(None, refused=(refused.note(),))
    except ImporterMissing as missing:
        preview = Preview(None, refused=(ImportNote(level="refused", reason=str(missing)),))
    results = preview.results
    return PublishedPreviewRead(
        results=results,
        notes=list(preview.notes),
        findings=[]
        if results is None
        else [finding_read(one) for one in published_findings(results)],
        understood=results is not None and bool(results.cells),
    )


def _refusal(reason: str) -> str:
    notes = [ImportNote(level="refused", reason=reason)]
    return PublishedPreviewRead(
        results=None, notes=notes, findings=[], understood=False
    ).model_dump_json()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
