"""How often a comparison or a gate is wrong: `python -m weighhouse_judging.bench.statistics`.

Sides, tables and campaigns whose truth is known are made by seed and judged with the functions that
judge real ones. Each bar is a promise of docs/verdicts.md. The last line is JSON with every figure;
the exit code is 1 when a bar is missed. `--short` takes fewer trials of the same seeds.

A bar may be *traded*: no rule can meet it together with another one, the figures show how one is
bought with the other, and docs/verdicts.md says why the chosen point is the best.
"""

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from weighhouse_judging.bench import (
    between,
    comparison,
    floors,
    gate,
    lives,
    many,
    rounded,
    until_decided,
)
from weighhouse_judging.bench.bars import (
    EQUAL_SPREADS,
    FULL,
    SHORT,
    SPREADS,
    Bar,
    Effort,
    bar,
)
from weighhouse_judging.bench.trials import KINDS

SEED = 20_261_122
BETWEEN = (0.0, 0.01, 0.02, 0.03)
BASES: tuple[tuple[gate.Base, int], ...] = (("pairs", 30), ("pooled", 10))
OTHER_BASES: tuple[tuple[gate.Base, int], ...] = (("pooled", 5),)
LEVELS = (0.05, 0.02, 0.015, 0.0125, 0.01, 0.009, 0.005)


def bars(effort: Effort, seed: int) -> Iterator[Bar]:
    """Every bar, in the order of docs/verdicts.md."""
    yield from covers(effort, seed)
    yield equals(effort, seed)
    yield tables(effort, seed)
    yield from floors.bars(effort, seed)
    yield step(effort, seed)
    yield from rounded.bars(effort, seed)
    yield from gates(effort, seed)
    yield from sequential(effort, seed)
    yield from until_decided.bars(effort, seed)
    yield from between.bars(effort, seed)
    yield from lives.bars(effort, seed)


def covers(effort: Effort, seed: int) -> Iterator[Bar]:
    """Every interval that is printed as 95 %."""
    for method in comparison.METHODS:
        figures = {
            (kind, cv, f"n={size} {kind} cv={cv} blocks={blocks}"): comparison.cover(
                method, kind, size, cv, blocks, effort.covers, seed
            )
            for size, kind, cv, blocks in itertools.product(
                effort.sizes, KINDS, SPREADS, (0.0, comparison.BLOCK_NOISE)
            )
        }
        usual = {name: value for (kind, cv, name), value in figures.items() if not _wild(kind, cv)}
        wild = {name: value for (kind, cv, name), value in figures.items() if _wild(kind, cv)}
        yield bar(f"cover of 95 % intervals: {method}", usual, at_least=0.93, at_most=0.985)
        yield bar(
            f"cover of 95 % intervals: {method}, outliers of 10 to 20 deviations",
            wild,
            at_least=0.93,
            at_most=0.985,
        )


def _wild(kind: str, cv: float) -> bool:
    """Are outliers of 10 to 20 % ten deviations away and more?"""
    return kind == "outliers" and cv == SPREADS[0]


def equals(effort: Effort, seed: int) -> Bar:
    """Equal sides, one difference alone."""
    figures = {
        f"paired n={size} cv={cv} {kind}": comparison.equal_called_changed(
            kind, size, cv, effort.equals, seed
        )
        for size, cv, kind in itertools.product(effort.equal_sizes, EQUAL_SPREADS, KINDS)
    }
    return bar("equal sides called changed, one difference", figures, at_most=0.01)


def tables(effort: Effort, seed: int) -> Bar:
    """Equal sides, a table of 84 differences."""
    figures = {
        f"n={size} cv={cv} shared={shared}": comparison.tables_with_a_change(
            size, cv, effort.tables, seed, shared
        )
        for size, cv, shared in itertools.product((5, 10), EQUAL_SPREADS, (0.0, 0.8))
    }
    return bar("tables of 84 equal differences with any changed", figures, at_most=0.05)


def step(effort: Effort, seed: int) -> Bar:
    """-5 % under block noise of 5 %, residual 1 %, five pairs, and nothing known of the machine."""
    found = {"found": comparison.step_found(-0.05, 5, 0.01, effort.equals, seed)}
    return bar(
        "-5 % found in five pairs, nothing known of the machine",
        found,
        at_least=0.99,
        traded=(
            "five pairs alone cannot both find 99 % of these and call 1 % of equal sides at 5 % "
            "noise changed; see the trade-off"
        ),
    )


def trade_off(effort: Effort, seed: int) -> dict[str, dict[str, float]]:
    """What each level would give five pairs alone: false alarms at worst, and -5 % found."""
    trials = effort.equals
    rows = {
        f"p ≤ {level}": {
            "equal sides called changed, worst of cv 1 to 5 %": max(
                comparison.equal_paired_at(level, cv, trials, seed) for cv in EQUAL_SPREADS
            ),
            "-5 % found": comparison.step_found(-0.05, 5, 0.01, trials, seed, level_of_p=level),
        }
        for level in LEVELS
    }
    rows["the best test there could be, knowing step and noise"] = {
        "equal sides called changed, at cv 3.5 %": comparison.least_false_alarms(
            0.035, trials, seed
        ),
        "-5 % found": 0.99,
    }
    return rows


def gates(effort: Effort, seed: int) -> Iterator[Bar]:
    """Equal campaigns against ten and an anchor."""
    figures = {
        f"cells={cells} between={between} cv={cv}": gate.equal_called_regression(
            cells, between, cv, effort.gates // cells, seed
        )
        for cells, between, cv in itertools.product((1, 2, 6, 24), BETWEEN, (0.01, 0.03))
    }
    yield bar("equal campaigns called regression", figures, at_most=0.01)


def sequential(effort: Effort, seed: int) -> Iterator[Bar]:
    """Gates of 5 to 30 repeats, as many as each cell needs."""
    equal = {
        f"{base} of {size}": gate.sequential(
            base, cells=24, cv=0.03, gates=effort.sequential, seed=seed, base_repeats=size
        )
        for base, size in BASES
    }
    yield bar(
        "24 cells, 5 to 30 repeats: inconclusive",
        {name: found.inconclusive for name, found in equal.items()},
        at_most=0.05,
    )
    yield bar(
        "24 cells, 5 to 30 repeats: runs of a fixed 30",
        {name: found.runs for name, found in equal.items()},
        at_most=0.5,
    )
    yield bar(
        "24 equal cells, 5 to 30 repeats: regression",
        {name: found.regression for name, found in equal.items()},
        at_most=0.01,
    )
    yield bar(
        "-7 % in 1 of 6 cells, 5 to 30 repeats: regression",
        {
            f"{base} of {size}": gate.sequential(
                base,
                cells=6,
                cv=0.03,
                gates=2 * effort.sequential,
                seed=seed,
                step=-0.07,
                base_repeats=size,
            ).regression
            for base, size in BASES
        },
        at_least=0.98,
    )


def shown(effort: Effort, seed: int) -> dict[str, object]:
    """Figures beside the bars: what other rules and other bases would give."""
    few = effort.sequential
    return {
        "trade-off of -5 % in five pairs": trade_off(effort, seed),
        "truly changed differences found in a table of 84": {
            f"{rule} step={step} changed={truly}": comparison.found_in_tables(
                step, truly, 5, 0.02, effort.tables // 4, seed, rule
            )
            for rule, step, truly in itertools.product(
                ("holm", "benjamini-yekutieli"), (-0.2, -0.4), (1, 21, 63)
            )
        },
        "gates of 5 to 30 repeats against other bases": {
            f"{base} of {size}, {cells} cells, step {step}": asdict(
                gate.sequential(
                    base, cells=cells, cv=0.03, gates=few, seed=seed, step=step, base_repeats=size
                )
            )
            for base, size in OTHER_BASES
            for cells, step in ((24, 0.0), (6, -0.07))
        },
        "ranks of six near-equal sides: all true, and by a bootstrap of ranks": {
            f"blocks={size} apart={apart}": asdict(
                many.ranks_hold(size, apart, 0.03, effort.sequential // 5, seed)
            )
            for size, apart in itertools.product((5, 10), (0.0005, 0.02))
        },
        "cover of bands of whole distributions": {
            name: value
            for size in (4, 5, 10)
            for name, value in many.bands_hold(size, effort.sequential // 10, seed).items()
        },
        **between.shown(effort, seed),
        **lives.shown(effort, seed),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a bar, and all figures as JSON; returns 1 when a bar is missed, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--short", action="store_true", help="fewer trials of the same seeds, and the bars alone"
    )
    options = parser.parse_args(arguments)
    effort = SHORT if options.short else FULL
    found = []
    for item in bars(effort, options.seed):
        found.append(item)
        span = (
            f"{item.low:7.2%} … {item.high:7.2%}" if item.low < item.high else f"{item.low:18.2%}"
        )
        sys.stdout.write(
            f"{item.judgement:<7} {span}   [{item.limits[0]:.1%}, {item.limits[1]:.1%}]  "
            f"{item.name}{f': {item.traded}' if item.traded and not item.met else ''}\n"
        )
        sys.stdout.flush()
    report = {
        "seed": options.seed,
        "missed": [item.name for item in found if item.judgement == "MISSED"],
        "bars": [{**asdict(item), "judgement": item.judgement} for item in found],
        "shown": {} if options.short else shown(effort, options.seed),
    }
    sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    return 1 if report["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
