"""A small study's folder."""

from pathlib import Path
from typing import Any

import yaml

from backend.tests.results.laboratory import experiment

SIDES = [
    {"name": "redis", "label": "Redis", "small": True},
    {"name": "memcached", "label": "Memcached", "small": True},
    {"name": "garnet", "label": "Garnet", "small": False, "because": "it is rare"},
]
CELL = {"workload": "balanced", "load": "4 clients"}
CLAIMS = [
    {
        "id": "redis-first", "says": "Redis is ahead.", "place": "page 1",
        "tests": [
            {"kind": "order", "of": [{"side": "redis", **CELL}, {"side": "memcached", **CELL}]}
        ],
    },
    {
        "id": "memcached-first", "says": "Memcached is ahead.", "place": "page 1",
        "tests": [
            {"kind": "order", "of": [{"side": "memcached", **CELL}, {"side": "redis", **CELL}]}
        ],
    },
    {
        "id": "garnet-first", "says": "Garnet is ahead.", "place": "page 2",
        "tests": [
            {"kind": "order", "of": [{"side": "garnet", **CELL}, {"side": "redis", **CELL}]}
        ],
    },
    {
        "id": "impossible", "says": "Redis waits for 40 ms.", "place": "page 3",
        "tests": [
            {"kind": "closed_loop", "throughput": {"side": "redis", **CELL},
             "latency": {"side": "redis", "figure": "mean_us", **CELL}}
        ],
    },
]  # fmt: skip
PUBLISHED = [
    {"side": "redis", **CELL, "printed": "1,000 ops/s", "place": "table 1"},
    {"side": "redis", **CELL, "figure": "mean_us", "printed": "40 ms", "place": "table 1"},
]


def document(slug: str) -> dict[str, Any]:
    targets = [{"name": side["name"], "system": side["name"]} for side in SIDES]
    return experiment(slug, targets=targets)


def write_study(folder: Path, name: str = "tiny", **changes: Any) -> Path:
    """A study with three sides and four claims below `folder/studies`; what is given replaces
    parts of `study`, or all of `claims` and of the experiments `small` and `published`.
    """
    home = folder / "studies" / name
    study = {
        "name": name, "title": "A tiny study", "order": 1, "asks": "Who is ahead?",
        "answers": "Redis is ahead.",
        "source": {
            "title": "T", "authors": "A. Nobody", "published_in": "nowhere", "sponsor": "a vendor",
            "licence": "none", "quoted": "two figures", "machines": "one", "tool": "a tool",
            "raw_data": "none", "disclaimer": "Read with care.",
        },
        "sides": SIDES, "published": PUBLISHED,
    } | changes.get("study", {})  # fmt: skip
    files = {
        "study.yaml": study,
        "claims.yaml": {"claims": changes.get("claims", CLAIMS)},
        "small/one.yaml": changes.get("small", document(f"{name}-small")),
        "published/one.yaml": changes.get("published", document(f"{name}-published")),
    }
    for path, content in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return home
