"""Whether the caches of a target can be as it asks, between load and measurement. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.fairness.rules import Condition, Conditions
from weighhouse_protocol.fairness.translation import meets
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target


def reads_disk(facts: Facts) -> bool:
    """Whether reads of a target may go to disk, as far as it is known."""
    return _any(facts, facts.manifest.storage.read_from_disk)


def outlives_restart(facts: Facts) -> bool:
    """Whether a target is known to have every record again after an orderly restart."""
    return _any(facts, facts.manifest.storage.over_restart)


def caches_errors(
    target: Target, manifest: Manifest, known: Mapping[str, int] | None = None
) -> Iterator[FieldError]:
    """Everything in a target's `caches` that cannot be; paths are in the target.

    :param known: facts as in `requirements.PLACEMENT`.
    """
    if target.caches in (None, "warm"):
        return
    facts, name = Facts(target, manifest), manifest.name
    if target.deployment == "external":
        yield _error(target, "a system that somebody else set up is not the agent's to stop")
        return
    if target.tool is not None:
        yield _error(target, f"{target.tool} loads and measures in one go", "no tool")
    if (known or {}).get("placement:together", True) is False:
        yield _error(target, "its nodes and its load are on several machines", "one machine")
    if not outlives_restart(facts):
        why = f"{name} so configured is not known to keep its records over a restart"
        mend = _in_words(manifest.storage.over_restart)
        yield _error(target, why, mend)
    elif target.caches == "dropped" and not reads_disk(facts):
        mend = _in_words(manifest.storage.read_from_disk) or "caches: restarted"
        yield _error(target, f"{name} so configured answers from memory alone", mend)
    if target.caches == "dropped" and target.deployment == "docker":
        why = "files in a container are not the agent's to reach"
        yield _error(target, why, "deployment: process")


def _error(target: Target, why: str, mend: str = "") -> FieldError:
    expected = f"warm, or {mend}" if mend else "warm, or to leave it out"
    return FieldError(path="caches", message=f"{target.caches}: {why}", expected=expected)


def _any(facts: Facts, rules: Sequence[Conditions]) -> bool:
    return any(
        all(meets(facts.value(name), wanted) for name, wanted in rule.items()) for rule in rules
    )


def _in_words(rules: Sequence[Conditions]) -> str:
    """Values with which one of the rules holds; empty where no value says it."""
    said = [
        " and ".join(
            f"{name}: {' or '.join(map(str, each if isinstance(each, tuple) else (each,))).lower()}"
            for name, each in rule.items()
            if not isinstance(each, Condition)
        )
        for rule in rules
    ]
    return ", or ".join(filter(None, said))
