"""Templates: the text that a report begins with, each source giving its part. Pure."""

from collections.abc import Mapping, Sequence
from typing import Literal

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.reports.references import Reference, marked
from weighhouse_backend.reports.schemas import OfferRead, SourceWrite, Template

Kind = Literal["comparison", "series", "study", "published"]
Part = tuple[str, Mapping[Kind, Sequence[str]]]
"""A heading, and what each kind of source gives below it."""
FIGURES = (CATALOGUE.primary("closed").name, CATALOGUE.primary("open").name)
MEMORY = "memory_after_bytes"

_COURSE: Part = ("Course", {"series": ("latest", "chart", "shifts", "table")})
_FAIR: Part = ("How fair it is", {"comparison": ("fairness",)})
_SAID: Part = ("Disclosure and replies", {"comparison": ("disclosure", "replies")})
_METHOD: Part = ("Method", {"study": ("asks",), "comparison": ("method",)})
_SUMMARY: Part = (
    "Summary", {"study": ("answer",), "comparison": ("answer",), "series": ("latest",)}
)  # fmt: skip
_RESULTS: Part = ("Results", {"comparison": ("charts", "tables")})
_OTHERS: Part = ("Published by others", {"published": ("source", "figures")})

PARTS: Mapping[Template, Sequence[Part]] = {
    "comparison": (_SUMMARY, _METHOD, _RESULTS, _OTHERS, _COURSE, _FAIR, _SAID),
    "study": (
        _SUMMARY, _METHOD, ("Claims", {"study": ("claims",)}), _RESULTS,
        ("Printed figures beside ours", {"study": ("figures",)}), _OTHERS, _COURSE, _FAIR, _SAID,
    ),
    "regression": (
        _SUMMARY, ("What changed", {"comparison": ("differences",), "series": ("chart", "shifts")}),
        ("Figures", {"comparison": ("charts", "tables"), "series": ("table",)}), _OTHERS, _METHOD,
        _FAIR, _SAID,
    ),
    "monthly": (
        _SUMMARY,
        ("What was measured", {"comparison": ("method", "charts"), "series": ("chart", "shifts"),
                               "study": ("claims",)}),
        ("Figures", {"comparison": ("tables",), "series": ("table",)}), _OTHERS, _SAID,
    ),
    "release": (
        _SUMMARY, ("Against what was before", {"comparison": ("differences",)}),
        ("Figures", {"comparison": ("charts", "tables")}), _OTHERS, _COURSE, _METHOD, _FAIR, _SAID,
    ),
}  # fmt: skip


def text_of(template: Template, sources: Sequence[SourceWrite], offers: Sequence[OfferRead]) -> str:
    """The text of a new report.

    :param offers: of all sources: nothing is referred to that is not there.
    """
    offered = {one.reference for one in offers}
    parts = []
    for heading, gives in PARTS[template]:
        below = [
            mark
            for one in sources
            for what in gives.get(kind_of(one), ())
            for mark in _marks(one.name, what)
            if mark in offered
        ]
        if below:
            parts.append("\n\n".join([f"## {heading}", *below]))
    return "\n\n".join(parts) + "\n"


def kind_of(source: SourceWrite) -> Kind:
    """What a source is of."""
    if source.study is not None:
        return "study"
    if source.published_id is not None:
        return "published"
    return "series" if source.series_id is not None else "comparison"


def _marks(name: str, what: str) -> list[str]:
    if what in {"charts", "tables"}:
        named = (*FIGURES, MEMORY) if what == "tables" else FIGURES
        return [marked(str(Reference(name, what[:-1], (one,)))) for one in named]
    return [marked(str(Reference(name, what)))]
