"""What a bundle says of itself to programs that know research objects: RO-Crate 1.1. Pure.

Source: RO-Crate Metadata Specification 1.1.3, https://w3id.org/ro/crate/1.1. Its JSON-LD is a flat
list of things that name each other; no library is needed to write one.
"""

from collections.abc import Sequence
from typing import Any

from weighhouse_protocol.bundles.manifest import ENVELOPE, BundledFile

from weighhouse_backend.exports.tables import About, written

CRATE = "ro-crate-metadata.json"
KINDS = {
    "json": "application/json",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
    "hlog": "text/plain",
    "txt": "text/plain",
}
MEANT = {
    "experiment.json": "What was asked for: targets, workloads, load levels, phases, repetitions",
    "campaign.json": "The campaign, its seed, and what must stand beside its figures",
    "cells.json": "Points of the matrix: target, workload, load level",
    "runs.json": "Measured repetitions, each with its seed, place in the order and outcome",
    "comparison.json": "Sides, cells, intervals, differences, verdicts, fairness",
    "noise.json": "What was known of the machines' noise when sides were judged",
    "disclosure.json": "Who stands behind the figures",
    "caveats.json": "What must stand beside the figures",
    "disclaimers.txt": "The same, to be read",
    "programs.json": "Programs that ran: systems, drivers, plugins, by the digests of their files",
    ENVELOPE: "Every file of this crate but this one, by its digest, signed (DSSE)",
}


def crate(
    about: About, licence: str, files: Sequence[BundledFile], key_sha256: str
) -> dict[str, Any]:
    """The metadata of a bundle.

    :param licence: under what the figures may be used, in words.
    :param files: all that stand in it before this.
    :param key_sha256: of the key that signs it.
    """
    software = "#software"
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": about.title,
        "description": "\n".join(about.lines()),
        "datePublished": written(about.as_of),
        "license": licence,
        "url": about.view,
        "creator": {"@id": software},
        "identifier": f"key:sha256:{key_sha256}",
        "hasPart": [*({"@id": one.path} for one in files), {"@id": ENVELOPE}],
    }
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [
            {
                "@id": CRATE,
                "@type": "CreativeWork",
                "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
                "about": {"@id": "./"},
            },
            root,
            {"@id": software, "@type": "SoftwareApplication", "name": about.software},
            *(_file(one.path, one.bytes, one.sha256) for one in files),
            _file(ENVELOPE),
        ],
    }


def _file(path: str, size: int | None = None, sha256: str | None = None) -> dict[str, Any]:
    ending = path.rpartition(".")[2]
    told: dict[str, Any] = {
        "@id": path,
        "@type": "File",
        "name": MEANT.get(path, path.rpartition("/")[2]),
        "encodingFormat": KINDS.get(ending, "text/plain"),
    }
    if size is not None:
        told |= {"contentSize": str(size), "sha256": sha256}
    return told
