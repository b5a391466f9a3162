"""What `weighhouse study check` reads: figures, claims and raw data, from files and folders."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from weighhouse_imports.reader import read_paths
from weighhouse_judging.claims.check import check
from weighhouse_judging.claims.from_study import results_of
from weighhouse_judging.claims.remarks import Remark
from weighhouse_judging.studies.documents import Study
from weighhouse_judging.studies.language import Claim, Claims, RawFile
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.yaml_document import DocumentError, field_errors, load_yaml

from weighhouse_cli.exits import CommandFailed, Exit

DOCUMENTS: Final = (".yaml", ".yml", ".json")
ASIDE: Final = (".md", *DOCUMENTS)
"""Files that lie beside: what there is to read, and documents of other kinds."""
MOST_FILES: Final = 2_000
"""Of a folder and all within it."""
LARGEST_DOCUMENT: Final = 64 * 2**20

TYPED: Final = "typed"
"""The format of figures that somebody typed from a text: they are no raw data."""


@dataclass
class Paper:
    """What belongs together: one or more sources, and what is said of them."""

    path: Path
    texts: list[tuple[Path, PublishedResults]] = field(default_factory=list)
    raw: list[PublishedResults] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    files: list[RawFile] = field(default_factory=list)
    not_read: list[Path] = field(default_factory=list)
    """Files of no format that is known; nothing of them was used."""

    def checked(self) -> Iterator[tuple[Path, PublishedResults, list[Remark]]]:
        """Each of its sources, with all that can be said of it."""
        for path, results in self.texts:
            yield path, results, check(results, self.claims, self.raw, self.files)


def read_papers(paths: Sequence[Path]) -> list[Paper]:
    """Each folder is a paper; files that are named one by one are one together.

    :raises CommandFailed: where a path is not there, a document is wrong (with file, field and what
        would be right), or there is nothing to check.
    """
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise CommandFailed(Exit.INVALID, f"{', '.join(missing)}: no such file or folder")
    single = [path for path in paths if not path.is_dir()]
    papers = [_paper(path, _files(path)) for path in paths if path.is_dir()]
    if single:
        papers.append(_paper(single[0].parent, single))
    without = [str(one.path) for one in papers if not one.texts]
    if without:
        raise CommandFailed(
            Exit.INVALID,
            f"{', '.join(without)}: holds no published figures; a document of published results "
            "(`source`, `sides`, `cells`) or a `study.yaml` is wanted",
        )
    return papers


def _files(folder: Path) -> list[Path]:
    found = []
    for root, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(root, name) for name in sorted(names) if not name.startswith(".")]
        if len(found) > MOST_FILES:
            raise CommandFailed(
                Exit.INVALID, f"{folder}: more than {MOST_FILES:,} files; name the ones that count"
            )
    return found


def _paper(folder: Path, files: Sequence[Path]) -> Paper:
    paper = Paper(folder)
    for path in files:
        document = _document(path)
        if document is not None:
            _take(paper, path, document)
        elif not _imported(paper, path) and path.suffix not in ASIDE:
            paper.not_read.append(path)
    return paper


def _imported(paper: Paper, path: Path) -> bool:
    """Read a file that a tool wrote, or somebody typed; False: its format is not known."""
    preview = read_paths([path])
    if preview.results is None:
        return False
    if any(one.format == TYPED for one in preview.recognised):
        paper.texts.append((path, preview.results))
        return True
    cells = tuple(
        cell.model_copy(
            update={
                "files": tuple(
                    one.model_copy(update={"name": path.as_posix()}) for one in cell.files
                )
            }
        )
        for cell in preview.results.cells
    )
    paper.raw.append(preview.results.model_copy(update={"cells": cells}))
    return True


def _document(path: Path) -> dict[str, Any] | None:
    """A file's contents where it is a document of ours, by its keys."""
    if path.suffix not in DOCUMENTS or path.stat().st_size > LARGEST_DOCUMENT:
        return None
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else load_yaml(text)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None
    except DocumentError as error:
        raise CommandFailed(Exit.INVALID, f"{path}: {error}") from error
    return found if isinstance(found, dict) and _kind(found) is not None else None


def _kind(document: dict[str, Any]) -> type[BaseModel] | None:
    if isinstance(document.get("claims"), list):
        return Claims
    if "source" in document and ("cells" in document or "sides" in document):
        return Study if "asks" in document else PublishedResults
    return None


def _take(paper: Paper, path: Path, document: dict[str, Any]) -> None:
    model = _kind(document)
    if model is None:
        return
    try:
        found = model.model_validate(document)
    except ValidationError as error:
        errors = field_errors(error, model)
        told = "; ".join(f"{one.path or 'document'}: {one.message}" for one in errors[:5])
        raise CommandFailed(Exit.INVALID, f"{path}: {told}") from error
    if isinstance(found, Claims):
        paper.claims += found.claims
        paper.files += found.raw
    elif isinstance(found, Study):
        if found.published:
            paper.texts.append((path, results_of(found)))
    elif isinstance(found, PublishedResults):
        if _is_raw(found):
            paper.raw.append(found)
        else:
            paper.texts.append((path, found))


def _is_raw(results: PublishedResults) -> bool:
    """Was it read from files that a tool wrote?"""
    return any(cell.files or cell.intervals or cell.histograms for cell in results.cells)
