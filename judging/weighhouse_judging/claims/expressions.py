"""Claims on one line, as reports write them: read, and held against figures. Pure.

    [redis / balanced / 32 clients] > [dragonfly / balanced / 32 clients]
    ratio([redis / balanced / 32 clients], [redis / balanced / 1 client]) is 10 to 11 times
    [redis / balanced / 32 clients / p99_us] is below 10 ms
    monotone([redis / balanced]) in clients

A cell is `[side / workload / load / figure]`, with ` / ` between; the figure may be left out
(throughput), and `name=value` parts may follow (`operation=READ`, `setting=c7gn`). What a line says
is one test of the language that files of claims are written in.
"""

import re
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from weighhouse_judging.studies.language import Test
from weighhouse_judging.studies.outcomes import Outcome, outcome_of
from weighhouse_judging.studies.terms import Figures

LONGEST: Final = 4_000
MOST_CELLS: Final = 100
_TEST: TypeAdapter[Test] = TypeAdapter(Test)
_CELL = re.compile(r"\[([^\[\]]*)\]")
_CALL = re.compile(r"(?P<name>[a-z_]+)\s*\((?P<inside>.*)\)")
_SEVERAL: Final = {"ratio": 2, "difference": 2, "spread": 0, "sum": 0, "max_of": 0, "min_of": 0}
"""Functions of cells, and of how many; 0: two or more."""
_PARTS = ("side", "workload", "load", "figure")
_EXAMPLE = "for example `[one / balanced / 32 clients] > [other / balanced / 32 clients]`"


class NotAnExpression(ValueError):
    """A line that cannot be read; says what, and what would be right."""


def judge_claim(said: str | Test, figures: Figures, *, of_print: bool = False) -> Outcome:
    """Hold one claim against figures.

    :param said: a line, or a test as files of claims have it, its cells complete.
    :param figures: `studies.terms.of_repeats` of ours, `claims.text.Text.figures` of a source's.
    :param of_print: are they a source's?
    :returns: whether it holds, with the figures in words; `missing` where there are none.
    :raises NotAnExpression: when a line cannot be read.
    """
    test = read_expression(said) if isinstance(said, str) else said
    return outcome_of(test, figures, "", of_print=of_print)


def read_expression(line: str) -> Test:
    """Read a line.

    :raises NotAnExpression: saying what cannot be read, and what would be right.
    """
    if len(line) > LONGEST or len(_CELL.findall(line)) > MOST_CELLS:
        raise NotAnExpression(f"at most {LONGEST:,} characters and {MOST_CELLS} cells")
    try:
        return _TEST.validate_python(_read(line.strip()))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        message = str(first["msg"]).removeprefix("Value error, ")
        raise NotAnExpression(f"{place}: {message}" if place else message) from error


def _read(line: str) -> dict[str, Any]:
    parts, cells = _without_cells(line)
    if found := re.fullmatch(r"(?P<of>.+?)\s+is\s+(?P<said>.+)", parts):
        return {"kind": "range", "of": _term(found["of"], cells), "printed": found["said"]}
    if found := re.fullmatch(r"(?P<of>.+?)\s*=\s*(?P<to>.+?)(?:\s+within\s+(?P<share>.+))?", parts):
        within = {} if found["share"] is None else {"within": _share(found["share"])}
        sides = {"of": _term(found["of"], cells), "to": _term(found["to"], cells)}
        return {"kind": "equals", **sides, **within}
    if ">" in parts or "<" in parts:
        return {"kind": "order", "of": _ordered(parts, cells)}
    return _called(parts, cells)


def _called(parts: str, cells: list[dict[str, str]]) -> dict[str, Any]:
    found = re.fullmatch(r"(\w+)\((.*)\)(?:\s+in clients)?", parts)
    name, inside = (found[1], _arguments(found[2])) if found else ("", [])
    match name, len(inside):
        case "monotone", 1:
            return {"kind": "monotone", "of": _cell(inside[0], cells)}
        case "monotone", 2:
            one, direction = inside
            return {"kind": "monotone", "of": _cell(one, cells), "direction": direction}
        case "near_linear", 4:
            return {
                "kind": "near_linear", "of": _cell(inside[0], cells), "to": _cell(inside[1], cells),
                "times": _share(inside[2]), "within": _share(inside[3]),
            }  # fmt: skip
        case "closed_loop", 2:
            return {
                "kind": "closed_loop", "throughput": _cell(inside[0], cells),
                "latency": _cell(inside[1], cells),
            }  # fmt: skip
        case "maximum", several if several > 1:
            among = [_term(one, cells) for one in inside[1:]]
            return {"kind": "maximum", "of": _term(inside[0], cells), "among": among}
    raise NotAnExpression(f"nothing is said of it: `is`, `=`, `>`, `<` or a function; {_EXAMPLE}")


def _ordered(parts: str, cells: list[dict[str, str]]) -> list[Any]:
    if ">" in parts and "<" in parts:
        raise NotAnExpression("an order goes one way: `>` or `<` alone")
    sign = ">" if ">" in parts else "<"
    terms = [_term(one, cells) for one in parts.split(sign)]
    return terms if sign == ">" else terms[::-1]


def _term(text: str, cells: list[dict[str, str]]) -> dict[str, Any]:
    text = text.strip()
    if text.startswith("#"):
        return dict(_cell(text, cells))
    if found := _CALL.fullmatch(text):
        name, inside = found["name"], _arguments(found["inside"])
        if name == "command" and len(inside) == _SEVERAL["ratio"]:
            cell = {key: value for key, value in _cell(inside[1], cells).items() if key != "figure"}
            return {"quoted": inside[0], **cell}
        if name not in _SEVERAL:
            known = ", ".join([*_SEVERAL, "command"])
            raise NotAnExpression(f"{name!r} is no function of cells; those are {known}")
        several = [_cell(one, cells) for one in inside]
        if len(several) < 2 or (_SEVERAL[name] and len(several) != _SEVERAL[name]):  # noqa: PLR2004
            much = "two" if _SEVERAL[name] else "two or more"
            raise NotAnExpression(f"{name} is of {much} cells; {len(several)} are given")
        return {name: several}
    if text[:1].isdigit():
        return {"number": text, "what": "as the claim gives it"}
    raise NotAnExpression(f"{text!r} is no cell, function or number; {_EXAMPLE}")


def _without_cells(line: str) -> tuple[str, list[dict[str, str]]]:
    """The line with `#0`, `#1` … for its cells, and the cells."""
    cells: list[dict[str, str]] = []

    def taken(found: re.Match[str]) -> str:
        cells.append(_parsed(found[1]))
        return f"#{len(cells) - 1}"

    if "#" in line:
        raise NotAnExpression("`#` has no meaning here")
    return _CELL.sub(taken, line), cells


def _parsed(inside: str) -> dict[str, str]:
    cell: dict[str, str] = {}
    plain = []
    for part in (one.strip() for one in inside.split(" / ")):
        name, equal, value = part.partition("=")
        if equal and name.strip() in {"operation", "setting", "statistic", "figure"}:
            cell[name.strip()] = value.strip()
        else:
            plain.append(part)
    if not plain or len(plain) > len(_PARTS) or not all(plain):
        raise NotAnExpression(
            f"[{inside}] is no cell: `[side / workload / load / figure]`, the figure as you like"
        )
    return {**dict(zip(_PARTS, plain, strict=False)), **cell}


def _cell(text: str, cells: list[dict[str, str]]) -> dict[str, str]:
    found = re.fullmatch(r"#(\d+)", text.strip())
    if found is None:
        raise NotAnExpression(f"{text.strip()!r} is no cell; {_EXAMPLE}")
    return cells[int(found[1])]


def _arguments(inside: str) -> list[str]:
    return [one.strip() for one in inside.split(",") if one.strip()]


def _share(text: str) -> float:
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError as error:
        raise NotAnExpression(f"{text.strip()!r} is no number; for example `5 %`") from error
    return number / 100 if text.strip().endswith("%") else number
