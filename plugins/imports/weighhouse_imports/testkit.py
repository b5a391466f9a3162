"""What the author of an importer tests with: conformance, and inputs that are broken on purpose.

Subclass `ImporterConformance` in a test, name the importer and its samples; pytest finds the rest.
"""

# ruff: noqa: S101 - pytest explains assertions

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.importer import API, Importer
from weighhouse_imports.opened import HEAD_BYTES, ImportFile, of_bytes
from weighhouse_imports.reader import Preview, read_files
from weighhouse_imports.refusals import Refused
from weighhouse_imports.registry import importer_named

WORDS = (
    b"-nan", b"NaN", b"inf", b"\xe2\x88\x9e", b"9223372036854775807", b"-1", b"0", b"1e999", b"",
    b"1,5", b"\x00", b"\xff\xfe", b"<<<<<<< ours\n", b"=" * 200, b"[" * 200, b"{" * 200, b"\r",
    b"\n",
    b"99999999999999999999999999", b"\xe2\x80\xae", b"\xed\xa0\x80", b": ", b"|", b'"',
)  # fmt: skip
"""What mutations put where something else was."""


def opened(path: Path) -> ImportFile:
    """A sample as it is offered."""
    return ImportFile(path.name, path.stat().st_size, lambda: path.open("rb"))


def mutations(sample: bytes, seed: int) -> Iterator[bytes]:
    """Broken forms of a sample, without end; the same for one seed."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    while True:
        broken = bytearray(sample)
        for _ in range(draw.randint(1, 6)):
            _mutate(broken, draw)
        yield bytes(broken)


def _mutate(broken: bytearray, draw: random.Random) -> None:
    at = draw.randrange(len(broken) + 1)
    end = min(len(broken), at + draw.choice((1, 2, 8, 64, 1024)))
    match draw.randrange(7):
        case 0:
            broken[at:end] = draw.choice(WORDS)
        case 1:
            broken[at:end] = b""
        case 2:
            broken[at:at] = broken[at:end]
        case 3:
            del broken[at:]
        case 4:
            if at < len(broken):
                broken[at] = draw.randrange(256)
        case 5:
            lines = bytes(broken).split(b"\n")
            draw.shuffle(lines[: draw.randint(2, 200)])
            first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            broken[:] = b"\n".join(lines)
        case _:
            digits = [n for n, octet in enumerate(broken) if 48 <= octet <= 57]  # noqa: PLR2004
            if digits:
                broken[draw.choice(digits)] = draw.choice(b"0123456789.,-e")


def survived(importer: Importer, name: str, data: bytes) -> Preview:
    """Read broken input; whatever comes out is a document or a refusal.

    :raises Exception: whatever the importer raises that is no refusal.
    """
    file = of_bytes(name, data)
    importer.recognises(file.head, name)
    preview = read_files([file], importer.name)
    if preview.results is not None:
        PublishedResults.model_validate_json(preview.results.model_dump_json())
    return preview


class ImporterConformance:
    """What every importer keeps to."""

    importer: ClassVar[Importer]
    samples: ClassVar[Sequence[Path]]
    """Outputs of the real tool, a few, small."""
    broken: ClassVar[int] = 150
    """How many broken forms of each sample a run tries."""

    def test_it_is_installed_by_the_name_that_it_says(self) -> None:
        """Entry point and manifest agree."""
        assert importer_named(self.importer.name) is self.importer
        assert self.importer.manifest.api == API

    def test_it_says_what_it_reads_and_what_its_tool_gets_wrong(self) -> None:
        """The manifest has words for people."""
        manifest = self.importer.manifest
        assert manifest.title
        assert manifest.reads
        assert manifest.known_errors

    def test_it_knows_its_samples_and_nobody_elses(self) -> None:
        """By content: a name that says nothing changes nothing."""
        assert self.samples
        for path in self.samples:
            head = path.read_bytes()[:HEAD_BYTES]
            found = self.importer.recognises(head, "file")
            assert found is not None, path.name
            assert found.reason
            assert 0 <= found.certainty <= 1
        for other in (b"", b"\x00" * 100, b"hello\n", b"{}", b"[]", b"a,b\n1,2\n", b"\xff" * 50):
            assert self.importer.recognises(other, self.samples[0].name) is None

    def test_its_samples_are_read_whole(self) -> None:
        """Every figure says where it stands, and every file is told with its digest."""
        for path in self.samples:
            preview = read_files([opened(path)])
            assert preview.refused == (), path.name
            assert preview.results is not None
            assert [one.format for one in preview.recognised] == [self.importer.name]
            for cell in preview.results.cells:
                assert cell.files
                assert all(file.sha256 for file in cell.files)
                assert cell.figures or cell.intervals
                assert all(figure.place for figure in cell.figures if figure.printed)

    def test_a_sample_that_is_cut_short_is_told_or_refused(self) -> None:
        """Half a file is never taken for a whole one without a word, unless it reads as one."""
        for path in self.samples:
            data = path.read_bytes()
            preview = survived(self.importer, path.name, data[: len(data) // 3])
            assert preview.notes or preview.results is not None

    def test_nothing_that_is_broken_breaks_it(self) -> None:
        """No exception but a refusal."""
        for path in self.samples:
            data = path.read_bytes()
            forms = mutations(data, seed=len(data))
            for _ in range(self.broken):
                survived(self.importer, path.name, next(forms))

    def test_an_empty_file_is_refused(self) -> None:
        """By its name."""
        refused = None
        try:
            self.importer.read([of_bytes("empty", b"")])
        except Refused as error:
            refused = error
        assert refused is not None
        assert refused.reason
