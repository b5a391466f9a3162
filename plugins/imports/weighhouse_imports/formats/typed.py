"""Figures that somebody typed from a paper: YAML, JSON or CSV, each with the place where it stands."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import yaml
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.figures import ALL, PUBLISHED_STATISTICS
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedSource

from weighhouse_imports.draft import Draft, DraftCell, label, slug
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import US_OF, number, percentile_name, rounded, whole
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

YAML_BYTES = re.compile(rb"^(?:\s*\"?)figures\"?\s*:", re.MULTILINE)
PRINTED_BYTES = re.compile(rb"^\s*[-{]?.{0,400}\bprinted\"?\s*:", re.MULTILINE)
PRINTED = re.compile(
    r"^\s*[~≈<>≤≥]?\s*([+-]?[\d.,\u00a0\u2009\u202f' ]*\d(?:[eE][+-]?\d+)?)\s*(.*?)\s*$"
)
SOURCE = tuple(PublishedSource.model_fields)
FACTS = ("side", "system", "version", "workload", "run", "clients", "pipeline", "rate", "loop",
         "load", "seconds", "machines", "notes", "sponsor")  # fmt: skip
"""What makes a cell; a figure has it, or its side or the whole file says it."""
OWN = ("figure", "operation", "printed", "unit", "statistic", "place", "setting")
KNOWN = {*FACTS, *OWN}
NAMES = {"throughput": "throughput", "mean": "mean_us", "average": "mean_us", "avg": "mean_us",
         "median": "p50_us", "max": "max_us", "min": "min_us", "memory": "memory_after_bytes"}  # fmt: skip
RATES = {"1/s": 1.0, "/s": 1.0, "ops/s": 1.0, "ops/sec": 1.0, "op/s": 1.0, "qps": 1.0, "tps": 1.0,
         "rps": 1.0, "req/s": 1.0, "requests/s": 1.0, "requests per second": 1.0, "ops": 1.0}  # fmt: skip
PREFIXES = {"k": 1e3, "m": 1e6, "thousand": 1e3, "million": 1e6}
SIZES = {"b": 1, "bytes": 1, "byte": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
         "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip
MOST_FIGURES = 10_000
MOST_YAML_BYTES = 2 << 20
"""Of so many figures; YAML of more is read for minutes."""


class _Loader(yaml.SafeLoader):
    """Safe, and without references: a few lines of them make a billion values."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """:raises yaml.YAMLError: for a reference."""
        if self.check_event(yaml.AliasEvent):
            message = "references (*name) are not taken"
            raise yaml.YAMLError(message)
        return super().compose_node(parent, index)


class Typed(Importer):
    """Rows of one side, workload and load are one cell."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="typed",
        title="Figures typed from a paper",
        reads=("YAML or JSON with `figures`", "CSV with the columns `side`, `figure`, `printed`"),
        known_errors=(
            "a unit that is not written is unknown, and so is the figure's value",
            "papers round: what a figure may have been is kept beside it",
            "a statistic that is not named is unknown",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By `figures` and `printed`."""
        del name
        if YAML_BYTES.search(head) and PRINTED_BYTES.search(head):
            return Recognition(0.8, "figures, each as printed")
        for line in head.splitlines()[:50]:
            if line.startswith(b"#") or not line.strip():
                continue
            columns = {each.strip(b' "') for each in re.split(rb"[,;\t]", line)}
            if {b"side", b"figure", b"printed"} <= columns:
                return Recognition(0.9, "the columns side, figure and printed")
            break
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """All figures of all files; of one source."""
        draft = Draft(told)
        cells: dict[tuple[str, ...], tuple[str, DraftCell]] = {}
        for file in files:
            source, rows = _read(file)
            draft.title = draft.title or str(source.pop("title", "") or "") or file.stem
            draft.tool = draft.tool or label(str(source.pop("tool", "") or ""))
            draft.source |= {name: str(said) for name, said in source.items() if said is not None}
            for count, (line, row) in enumerate(rows):
                if count >= MOST_FIGURES:
                    raise Refused(f"more than {MOST_FIGURES:,} figures", file.name, line)
                _take(draft, cells, file, line, row)
        for side, cell in cells.values():
            draft.add(side, cell)
        return draft.built()


def _read(file: ImportFile) -> tuple[dict[str, Any], Iterator[tuple[int | None, dict[str, Any]]]]:
    if YAML_BYTES.search(file.head):
        return _yaml(file)
    return _csv(file)


def _yaml(file: ImportFile) -> tuple[dict[str, Any], Iterator[tuple[int | None, dict[str, Any]]]]:
    try:
        document = yaml.load(file.whole(MOST_YAML_BYTES), Loader=_Loader)  # noqa: S506 - a safe loader's child
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or error
        line = mark.line + 1 if mark else None
        raise Refused(f"is no YAML: {problem}", file.name, line) from error
    if not isinstance(document, dict) or not isinstance(document.get("figures"), list):
        raise Refused("`figures` has to be a list", file.name)
    figures = document.pop("figures")
    sides = document.pop("sides", None) or []
    source = {name: document.pop(name) for name in SOURCE if name in document}
    above = {str(name): said for name, said in document.items()}
    if unknown := sorted(set(above) - KNOWN):
        raise Refused(
            f"{unknown[0]!r} is not known; one of {', '.join((*SOURCE, *FACTS))}", file.name
        )
    by_side = {
        str(side["name"]): {("side" if name == "name" else str(name)): said
                            for name, said in side.items()}
        for side in sides if isinstance(side, dict) and "name" in side
    }  # fmt: skip

    def rows() -> Iterator[tuple[int | None, dict[str, Any]]]:
        for at, row in enumerate(figures, 1):
            if not isinstance(row, dict):
                raise Refused(f"figure {at} is no mapping", file.name)
            side = by_side.get(str(row.get("side", above.get("side", ""))), {})
            yield None, {**above, **side, **{str(name): said for name, said in row.items()}}

    return source, rows()


def _csv(file: ImportFile) -> tuple[dict[str, Any], Iterator[tuple[int | None, dict[str, Any]]]]:
    source: dict[str, Any] = {}
    names: list[str] = []
    found: list[tuple[int | None, dict[str, Any]]] = []
    mark = ","
    for line_number, line in file.lines():
        if line.startswith("#"):
            name, colon, said = line.lstrip("# ").partition(":")
            if colon and name.strip() in SOURCE:
                source[name.strip()] = said.strip()
            continue
        if not line.strip():
            continue
        if not names:
            mark = max(",;\t", key=line.count)
            names = [each.strip().lower() for each in next(csv.reader([line], delimiter=mark))]
            if unknown := sorted(set(names) - KNOWN):
                reason = f"column {unknown[0]!r} is not known; one of {', '.join(sorted(KNOWN))}"
                raise Refused(reason, file.name, line_number)
            continue
        try:
            values = next(csv.reader([line], delimiter=mark, strict=True))
        except csv.Error as error:
            raise Refused(f"is no row: {error}", file.name, line_number) from error
        if len(values) != len(names):
            reason = f"has {len(values)} fields, its head {len(names)}; quote those with commas"
            raise Refused(reason, file.name, line_number)
        found.append((line_number, dict(zip(names, values, strict=True))))
        if len(found) > MOST_FIGURES:
            raise Refused(f"more than {MOST_FIGURES:,} figures", file.name, line_number)
    return source, iter(found)


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _take(
    draft: Draft, cells: dict[tuple[str, ...], tuple[str, DraftCell]], file: ImportFile,
    line: int | None, row: dict[str, Any],
) -> None:  # fmt: skip
    if unknown := sorted(set(row) - KNOWN):
        raise Refused(f"{unknown[0]!r} of a figure is not known; one of {', '.join(sorted(KNOWN))}",
                      file.name, line)  # fmt: skip
    for name in ("side", "figure", "printed"):
        if not _text(row, name):
            raise Refused(f"a figure has no `{name}`", file.name, line)
    key = tuple(_text(row, name) for name in FACTS)
    if key not in cells:
        side = _side(draft, row)
        cells[key] = (side, _cell(file, row, line))
    cell = cells[key][1]
    statistic = _text(row, "statistic").replace(" ", "_") or "unknown"
    if statistic not in PUBLISHED_STATISTICS:
        reason = f"statistic {statistic!r}: one of {', '.join(PUBLISHED_STATISTICS)}"
        raise Refused(reason, file.name, line)
    _add_figure(draft, cell, file, line, row, statistic)


def _side(draft: Draft, row: Mapping[str, Any]) -> str:
    name = _text(row, "side")
    return draft.side(_text(row, "system") or name, _text(row, "version"), name)


def _cell(file: ImportFile, row: Mapping[str, Any], line: int | None) -> DraftCell:
    counts: dict[str, int | None] = {}
    for name in ("clients", "pipeline"):
        text = _text(row, name)
        counts[name] = whole(text) if text else None
        if text and not counts[name]:
            raise Refused(f"{name} {text!r} is no count", file.name, line)
    loop = _text(row, "loop") or "unknown"
    if loop not in ("closed", "open", "unknown"):
        raise Refused(f"loop {loop!r}: closed, open or unknown", file.name, line)
    seconds, rate = _text(row, "seconds"), _text(row, "rate")
    cell = DraftCell(file=file, workload=_text(row, "workload"), run=_text(row, "run"),
                     clients=counts["clients"], pipeline=counts["pipeline"],
                     load_label=_text(row, "load"), machines=_text(row, "machines"))  # fmt: skip
    cell.loop = "closed" if loop == "closed" else "open" if loop == "open" else "unknown"
    for name, text in (("seconds", seconds), ("rate", rate)):
        if text and number(text) is None:
            raise Refused(f"{name} {text!r} is no number", file.name, line)
    cell.seconds, cell.rate = number(seconds), number(rate)
    if _text(row, "notes"):
        cell.remarks.append(_text(row, "notes"))
    cell.files = [file.told("typed")]
    return cell


def figure_named(text: str) -> str:
    """The catalogue's name of a figure as papers have it: `p99`, `99.9th percentile`, `mean`."""
    low = re.sub(r"\s*(?:latency|percentile|response time)\s*", " ", text.lower()).strip()
    if (found := CATALOGUE.find(text.strip())) is not None:
        return found.name
    return NAMES.get(low) or percentile_name(low) or slug(text).replace("-", "_").replace(".", "_")


def factor_of(figure: str, unit: str) -> float | None:
    """What one of a unit is in that of a figure; None: it is none of its units."""
    unit = unit.strip()
    known = CATALOGUE.find(figure)
    scale = known.scale if known else "time" if figure.endswith("_us") else None
    low = unit.lower()
    if scale == "time":
        return US_OF.get(low) or US_OF.get(unit)
    if scale == "rate":
        for prefix, many in PREFIXES.items():
            rest = low.removeprefix(prefix).strip()
            if low.startswith(prefix) and rest in RATES:
                return many
        return RATES.get(low)
    if scale in ("size", "flow"):
        return SIZES.get(low.removesuffix("/s"))
    if scale == "share":
        return {"%": 1.0, "percent": 1.0}.get(low)
    return 1.0


def _add_figure(
    draft: Draft, cell: DraftCell, file: ImportFile, line: int | None, row: Mapping[str, Any],
    statistic: str,
) -> None:  # fmt: skip
    printed = _text(row, "printed")
    match = PRINTED.match(printed)
    figure = figure_named(_text(row, "figure"))
    if not re.match(r"[a-z]", figure):
        raise Refused(f"figure {_text(row, 'figure')!r} is no name", file.name, line)
    unit = _text(row, "unit") or (match[2] if match else "")
    text = match[1].strip() if match else ""
    factor = factor_of(figure, unit)
    found = rounded(text, factor) if factor is not None and text else None
    known = CATALOGUE.find(figure) is not None or figure.endswith("_us")
    if found is None:
        what = f"has no unit that {figure} is told in" if factor is None else "is no number"
        draft.note("unknown", f"{printed!r} {what}: its value is unknown", file, line)
    said = printed if unit and unit in printed else f"{printed} {unit}".strip()
    kind = next(one for one in PUBLISHED_STATISTICS if one == statistic)
    cell.add(figure, found, operation=_text(row, "operation") or ALL, printed=said, statistic=kind,
             place=_text(row, "place"), unit="" if known else unit[:300], line=line,
             setting=_text(row, "setting"))  # fmt: skip


IMPORTER = Typed()
