"""A campaign over products whose terms allow, ask for consent, and forbid."""

from pathlib import Path
from typing import Any

from backend.tests.results.laboratory import Laboratory, experiment, manifest
from backend.tests.results.reports import FACTS, whole_run
from backend.tests.studies.folder import write_study

TARGETS = [
    {"name": "free", "system": "redis"},
    {"name": "paid", "system": "redis", "edition": "enterprise"},
    {"name": "closed", "system": "memcached"},
]
REASON = "The vendor's counsel agreed by telephone on Monday."


def edition(name: str, policy: str) -> dict[str, Any]:
    return {
        "id": name, "name": name.title(), "licence": "L", "policy": policy,
        "text": f"the clause of {name}", "source": "https://example.test/licence",
        "checked_on": "2026-11-22", "reviewer": "Weighhouse maintainers",
    }  # fmt: skip


DOCUMENT = {"targets": TARGETS, "repetitions": 2}


def as_a_study(folder: Path) -> Path:
    """The same experiment as the small scale of a study, below a folder of experiments."""
    cells = [{"side": one["name"], "workload": "balanced", "load": "4 clients"} for one in TARGETS]
    sides = [{"name": one["name"], "label": one["name"], "small": True} for one in TARGETS]
    claim = {"id": "order", "says": "It is so.", "place": "page 1",
             "tests": [{"kind": "order", "of": cells}]}  # fmt: skip
    write_study(
        folder,
        "policed",
        study={"sides": sides, "published": []},
        claims=[claim],
        small=experiment("policed", **DOCUMENT),
        published=experiment("policed-published", **DOCUMENT),
    )
    return folder


def manifests() -> list[dict[str, Any]]:
    """Redis is open, or takes consent as `enterprise`; Memcached may not be published."""
    made = [
        manifest(
            "redis",
            editions=[edition("community", "open"), edition("enterprise", "consent_required")],
        ),
        manifest("memcached", editions=[edition("shut", "prohibited")]),
    ]
    for one in made:
        del one["benchmark_clause"]
    return made


def measured(laboratory: Laboratory) -> str:
    """A campaign under these terms; its id."""
    return laboratory.carry_out(experiment("policed", **DOCUMENT), _told)


def _told(order: dict[str, Any]) -> list[dict[str, Any]]:
    """What an agent reports that knows its programs."""
    facts = FACTS | {
        "versions": {"agent": "0.1.0", "driver resp": "0.2.0", "plugin redis": "0.1.9"}
    }
    seed = order["seed"]
    return whole_run(seed=seed % 1000, rate=200 + seed % 3, facts=facts)


def token(laboratory: Laboratory, role: str) -> dict[str, str]:
    """Headers of a token of the laboratory's project with a role."""
    made = laboratory.client.post(
        "/api/v1/api-tokens", json={"name": f"as {role}", "role": role}, headers=laboratory.headers
    )
    assert made.status_code == 201, made.text
    return {"Authorization": f"Bearer {made.json()['token']}"}
