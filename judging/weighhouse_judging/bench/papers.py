"""How often texts that are consistent with themselves are called wrong, and texts with one error
are found out.

A text is made of closed loops that keep Little's law, rounded to as many digits as texts print, in
the units that they use; its claims, command lines and tables are of the figures before they were
rounded. One error is then made of a kind that texts have.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_judging.claims.check import check
from weighhouse_judging.studies.language import Claim

CLIENTS: Final = (1, 2, 4, 8, 16, 32, 64)
SIDES: Final = ("alpha", "beta", "gamma")
WORKLOADS: Final = ("read-mostly", "update-heavy")
QUANTILES: Final = {"p50_us": 0.0, "p95_us": 1.645, "p99_us": 2.326, "p999_us": 3.09}
ERRORS: Final = ("unit", "ratio", "order", "copy", "command", "twice")
LINES: Final = 200
Json = dict[str, Any]


@dataclass(frozen=True)
class Share:
    """Of so many texts, so many were called wrong."""

    texts: int
    wrong: int

    @property
    def words(self) -> str:
        """`3 of 1,000 (0.3 %)`."""
        return f"{self.wrong:,} of {self.texts:,} ({self.wrong / self.texts:.1%})"


def sound_texts(texts: int, seed: int = 1) -> Share:
    """Texts without an error that are called wrong."""
    generator = np.random.default_rng(seed)
    return Share(texts, sum(bool(wrong_in(Paper.made(generator))) for _ in range(texts)))


def texts_with_an_error(texts: int, kind: str, seed: int = 1) -> Share:
    """Texts with one error of a kind that are called wrong."""
    generator = np.random.default_rng(seed)
    found = 0
    for _ in range(texts):
        paper = Paper.made(generator)
        paper.err(kind)
        found += bool(wrong_in(paper))
    return Share(texts, found)


def wrong_in(paper: "Paper") -> list[str]:
    """The reasons for which a text is called wrong."""
    remarks = check(paper.results, paper.claims, [paper.raw])
    return [f"{one.rule}: {one.reason}" for one in remarks if one.kind == "contradiction"]


@dataclass
class Paper:
    """A text as documents, before they are typed."""

    cells: list[Json]
    told: list[Json]
    lines: list[Json]

    @classmethod
    def made(cls, generator: np.random.Generator) -> "Paper":
        """One that is consistent with itself."""
        digits = int(generator.integers(2, 5))
        few = sorted(generator.choice(CLIENTS, size=3, replace=False).tolist())
        cells: list[Json] = []
        rates: dict[tuple[str, str, int], float] = {}
        for side in SIDES:
            for workload in WORKLOADS:
                answer = float(generator.lognormal(5.5, 1.0))
                for clients in few:
                    cell, rate = _cell(generator, side, workload, clients, answer, digits)
                    cells.append(cell)
                    rates[(side, workload, clients)] = rate
        table, lines = _table(generator)
        return cls([*cells, table], _claims(rates, few), lines)

    def err(self, kind: str) -> None:
        """Make one error."""
        first, table = self.cells[0], self.cells[-1]
        latencies = [one for one in first["figures"] if one["figure"].endswith("_us")]
        match kind:
            case "unit":
                for one in latencies:
                    one.update(_scaled(one, 1e3))
            case "ratio":
                self.told[0]["tests"][0]["printed"] = _rounded(self._ratio() * 1.6, 2)
            case "order":
                self.told[1]["tests"][0]["of"].reverse()
            case "copy":
                rows = {(one["operation"], one["statistic"]): one for one in table["figures"]}
                right = rows[("UPDATE", "averaged")]
                rows[("READ", "averaged")].update(
                    {name: right[name] for name in ("value", "printed")}
                )
            case "command":
                first["load"]["clients"] *= 2
            case "twice":
                again = dict(latencies[0], place="summary")
                first["figures"].append(again | _scaled(again, 1.2))

    def _ratio(self) -> float:
        return float(self.told[0]["ratio"])

    @property
    def results(self) -> PublishedResults:
        """The text."""
        sides = [{"name": side} for side in SIDES]
        return PublishedResults.model_validate(
            {"source": {"title": "A text"}, "sides": sides, "cells": self.cells}
        )

    @property
    def raw(self) -> PublishedResults:
        """The data of its table."""
        columns = [{"operation": one, "figure": "p99_us"} for one in ("READ", "UPDATE")]
        cell = {"side": SIDES[0], "workload": "table", "load": {"clients": 8},
                "columns": columns, "intervals": self.lines}  # fmt: skip
        sides = [{"name": SIDES[0]}]
        return PublishedResults.model_validate(
            {"source": {"title": "raw data"}, "sides": sides, "cells": [cell]}
        )

    @property
    def claims(self) -> list[Claim]:
        """What it says."""
        return [
            Claim.model_validate({key: value for key, value in one.items() if key != "ratio"})
            for one in self.told
        ]


def _cell(
    generator: np.random.Generator,
    side: str,
    workload: str,
    clients: int,
    answer: float,
    digits: int,
) -> tuple[Json, float]:
    sigma = float(generator.uniform(0.2, 1.2))
    mean = answer * clients ** float(generator.uniform(0.1, 0.9))
    rate = clients / mean * 1e6 * float(generator.uniform(0.85, 1.0))
    median = mean / np.exp(sigma**2 / 2)
    times = {"mean_us": mean} | {
        name: float(median * np.exp(sigma * score)) for name, score in QUANTILES.items()
    }
    unit = "ms" if generator.random() < 0.5 else "µs"  # noqa: PLR2004
    printed = [_figure("throughput", rate, *_of_a_rate(generator), digits)]
    printed += [_figure(name, value, unit, {"ms": 1e3, "µs": 1.0}[unit], digits)
                for name, value in times.items()]  # fmt: skip
    summary = [
        _figure("throughput", rate, "ops/s", 1.0, 8) | {"place": "summary"},
        _figure("mean_us", mean, "ms", 1e3, 6) | {"place": "summary"},
    ]
    command = f"memtier_benchmark -t 1 -c {clients} --test-time 60 --ratio 1:10"
    return {
        "side": side, "workload": workload, "command": command,
        "load": {"clients": clients, "pipeline": 1, "loop": "closed"},
        "figures": printed + (summary if generator.random() < 0.5 else []),  # noqa: PLR2004
    }, rate  # fmt: skip


def _of_a_rate(generator: np.random.Generator) -> tuple[str, float]:
    units = {"ops/s": 1.0, "k ops/s": 1e3, "M ops/s": 1e6}
    name = str(generator.choice(list(units)))
    return name, units[name]


def _figure(name: str, value: float, unit: str, factor: float, digits: int, **more: str) -> Json:
    text = _rounded(value / factor, digits)
    return {"figure": name, "value": float(text) * factor, "printed": f"{text} {unit}",
            "place": "table 1", **more}  # fmt: skip


def _rounded(value: float, digits: int) -> str:
    """To so many digits that count, without an exponent."""
    decimals = digits - 1 - int(np.floor(np.log10(abs(value)))) if value else digits
    return f"{round(value, decimals):.{max(0, decimals)}f}"


def _scaled(one: Json, factor: float) -> Json:
    number, _, unit = one["printed"].partition(" ")
    decimals = len(number.partition(".")[2])
    text = f"{float(number) * factor:.{decimals}f}"
    return {"value": one["value"] * factor, "printed": f"{text} {unit}"}


def _claims(rates: dict[tuple[str, str, int], float], few: list[int]) -> list[Json]:
    low, high = few[0], few[-1]
    side, workload = SIDES[0], WORKLOADS[0]
    ratio = rates[(side, workload, high)] / rates[(side, workload, low)]

    def cell(one: str, clients: int) -> Json:
        load = f"{clients} client{'' if clients == 1 else 's'}"
        return {"side": one, "workload": workload, "load": load}

    ranked = sorted(SIDES, key=lambda one: rates[(one, workload, high)], reverse=True)
    about = {"kind": "range", "of": {"ratio": [cell(side, high), cell(side, low)]},
             "printed": f"about {_rounded(ratio, 2)} times"}  # fmt: skip
    order = {"kind": "order", "of": [cell(one, high) for one in ranked]}
    return [
        {"id": "grows", "says": "It grows.", "place": "text", "tests": [about], "ratio": ratio},
        {"id": "order", "says": "One is ahead.", "place": "text", "tests": [order]},
    ]


def _table(generator: np.random.Generator) -> tuple[Json, list[Json]]:
    """A table of what intervals had, without the first and the last of them, and its data."""
    first, last = int(generator.integers(0, 6)), int(generator.integers(0, 15))
    rows = generator.lognormal([6.0, 6.5], 0.2, size=(LINES, 2))
    lines = [{"at_seconds": 10 * (at + 1), "throughput": 1e5, "values": row.tolist()}
             for at, row in enumerate(rows)]  # fmt: skip
    kept = rows[first : LINES - last]
    figures = []
    for at, operation in enumerate(("READ", "UPDATE")):
        low, high, mean = kept[:, at].min(), kept[:, at].max(), kept[:, at].mean()
        for statistic, value in (
            ("lowest_of_intervals", low),
            ("averaged", mean),
            ("highest_of_intervals", high),
            ("range_of_intervals", high - low),
        ):
            more = {"operation": operation, "statistic": statistic}
            figures.append(_figure("p99_us", float(value), "ms", 1e3, 3, **more))
    return {"side": SIDES[0], "workload": "table", "load": {"clients": 8},
            "figures": figures}, lines  # fmt: skip


def main() -> None:
    """Print the rates."""
    print("sound texts called wrong:", sound_texts(2_000).words)  # noqa: T201
    for kind in ERRORS:
        print(f"texts with an error of {kind}, found:", texts_with_an_error(300, kind).words)  # noqa: T201


if __name__ == "__main__":
    main()
