"""Holds the rules of a manifest against a real server: a draft and what ran say the same."""

# ruff: noqa: S101 - pytest explains assertions

from collections.abc import Iterable, Sequence

from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.fairness.translation import translate
from weighhouse_protocol.fairness.vocabulary import ASPECTS, Comparables
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target


def check_translation(
    manifest: Manifest, target: Target, settings: Iterable[Setting], endpoints: Sequence[str]
) -> Comparables:
    """What is concluded from an effective configuration is what was concluded from the target.

    A server may tell more than a draft knows (what a size of 0 comes to), never something else.

    :param settings: as the running system described itself.
    :returns: what is concluded from them.
    """
    told = {setting.name: setting.value for setting in settings}
    drafted = translate(Facts(target, manifest, co_located=True))
    ran = translate(Facts(target, manifest, settings=told, endpoints=endpoints, co_located=True))
    for aspect in ASPECTS:
        known = drafted.value(aspect)
        assert known is None or ran.value(aspect) == known, (aspect, known, ran.value(aspect))
    return ran.values
