"""Translates a target into the vocabulary, by the rules of its plugin. Pure.

The same for a draft and for what really ran: only the facts differ.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.fairness.facts import Facts, Seen, number
from weighhouse_protocol.fairness.rules import UNKNOWN, Condition, Drawn, Rule, Wanted
from weighhouse_protocol.fairness.vocabulary import (
    ASPECTS,
    FORMS,
    Acknowledgement,
    Aspect,
    Comparables,
    Copies,
    Durability,
    Memory,
    Reads,
    Value,
)

MEBIBYTE = 2**20
_NUMBERS = frozenset({"every_seconds", "bytes"})
_COUNTS = frozenset({"copies", "nodes"})


@dataclass(frozen=True)
class Translated:
    """A target in the vocabulary, and what that was concluded from."""

    values: Comparables
    seen: Mapping[Aspect, tuple[Seen, ...]]

    def value(self, aspect: Aspect) -> Value | None:
        """The value of an aspect; None: not known."""
        return cast("Value | None", getattr(self.values, aspect))


def translate(facts: Facts) -> Translated:
    """All aspects of a target.

    The rules of a load tool come before those of the system, aspect by aspect: it is the tool that
    writes and reads.
    """
    found = {aspect: value_of(facts, aspect) for aspect in ASPECTS}
    return Translated(
        Comparables.model_validate(found),
        {aspect: _seen(facts, aspect) for aspect in ASPECTS},
    )


def rules_of(facts: Facts, aspect: Aspect) -> tuple[Rule, ...]:
    """The rules that decide an aspect of a target."""
    told = () if facts.tool is None else facts.tool.fairness.of(aspect)
    return told or facts.manifest.fairness.of(aspect)


def value_of(facts: Facts, aspect: Aspect) -> Value | None:
    """One aspect of a target; None: not known."""
    rules = rules_of(facts, aspect)
    # Rules tell of a draft whether it will be encrypted; endpoints tell whether it was.
    if not rules or (aspect == "encryption" and _endpoints(facts)):
        ruled: Value | None = _without_rules(facts, aspect)
    else:
        possible = list(_possible(facts, aspect, rules))
        alike = all(each == possible[0] for each in possible)
        ruled = possible[0] if possible and alike else None
    return _capped(facts, aspect, ruled)


def _possible(facts: Facts, aspect: Aspect, rules: tuple[Rule, ...]) -> Iterator[Value | None]:
    """Values of the rules that hold or may hold, up to the first that does."""
    for rule in rules:
        held = [_holds(facts, name, wanted) for name, wanted in rule.when.items()]
        if False in held:
            continue
        yield _drawn(facts, aspect, rule)
        if None not in held:
            return
    yield None


def _holds(facts: Facts, name: str, wanted: Wanted) -> bool | None:
    found = facts.value(name)
    if isinstance(wanted, Condition) and wanted.absent is not None:
        asked = name.startswith("setting:") and facts.settings is not None
        return (found is None) is wanted.absent if asked else None
    return meets(found, wanted)


def meets(found: Scalar | None, wanted: Wanted) -> bool | None:
    """Whether a fact is what a rule wants it to be; None where it is not known."""
    if found is None:
        return None
    if isinstance(wanted, Condition):
        figure = number(found)
        limits = ((wanted.at_least, 1), (wanted.at_most, -1))
        within = all(
            limit is None or (figure is not None and (figure - limit) * sign >= 0)
            for limit, sign in limits
        )
        return within and not any(_same(found, each) for each in wanted.other_than)
    return any(_same(found, each) for each in (wanted if isinstance(wanted, tuple) else (wanted,)))


def _same(found: Scalar, wanted: Scalar) -> bool:
    """Equal, and of one kind: 1 is not `true`."""
    return isinstance(found, bool) == isinstance(wanted, bool) and found == wanted


def _drawn(facts: Facts, aspect: Aspect, rule: Rule) -> Value | None:
    """The value that a rule gives; None when a fact it is drawn from is not known."""
    if rule.value == UNKNOWN:
        return None
    parts: dict[str, Any] = {}
    for name, part in rule.parts().items():
        value = part
        if isinstance(part, Drawn):
            known = facts.value(part.of)
            found = part.otherwise if known is None else known
            if found is None:
                return None
            value = _worded(aspect, name, found, part)
        parts[name] = value
    try:
        formed = FORMS[aspect].validate_python(parts.get("", parts))
    except ValueError:
        return None  # the system's word for it is none of the vocabulary's
    return _counted(facts, formed)


def _worded(aspect: Aspect, name: str, found: Scalar, part: Drawn) -> Scalar:
    if isinstance(found, str) and found in part.words:
        return part.words[found]
    figure = number(found, part.times)
    if name in _NUMBERS or aspect == "processors":
        return found if figure is None else (round(figure) if name == "bytes" else figure)
    if name in _COUNTS and figure is not None:
        return round(figure)
    return str(found).lower() if isinstance(found, str) else found


# what a number of copies makes of a value


def _counted(facts: Facts, value: Value) -> Value:
    total = facts.copies
    if isinstance(value, Acknowledgement):
        return Acknowledgement(copies=_count(value.copies, total))
    if isinstance(value, Durability) and value.nodes is not None:
        nodes = _count(value.nodes, total)
        # The memory of one node is what everybody has: nothing is kept.
        return (
            Durability(kept="nothing") if nodes == 1 else value.model_copy(update={"nodes": nodes})
        )
    if isinstance(value, Reads):
        return _asked(value, total)
    return value


def _count(copies: Copies, total: int | None) -> Copies:
    if isinstance(copies, int) or total is None:
        return copies
    return _majority(total) if copies == "majority" else total


def _majority(total: int) -> int:
    return total // 2 + 1


def _asked(reads: Reads, total: int | None) -> Reads:
    """By how many copies are asked of how many there are: two of three are a quorum, and who asks
    one of one asks the only one, whatever the option is called.
    """
    if total == 1:
        return Reads(asks="only")
    named = {"any": 1, "several": reads.copies}
    if total is not None:
        named |= {"quorum": _majority(total), "all": total}
    asked = named.get(reads.asks)
    if asked == 1:
        return Reads(asks="any")
    if asked is None or total is None:
        return reads.model_copy(update={"copies": asked})
    if asked >= total:
        return Reads(asks="all", copies=total)
    return Reads(asks="quorum" if asked >= _majority(total) else "several", copies=asked)


# what deployment, endpoints and limits say by themselves


def _without_rules(facts: Facts, aspect: Aspect) -> Value | None:
    if aspect == "transport":
        return _transport(facts)
    if aspect == "encryption":
        return _encryption(facts)
    if aspect == "processors" and facts.target.deployment != "external":
        return "all"
    return None


def _transport(facts: Facts) -> str | None:
    """By the endpoint, and by whether driver and system share a machine, where that is known."""
    if facts.target.deployment == "in_process":
        return "call"
    ends = [urlsplit(each) for each in _endpoints(facts)]
    if ends and all(each.scheme == "unix" for each in ends):
        return "unix_socket"
    if facts.co_located is False:
        return "network"
    hosts = {each.hostname or "" for each in ends}
    if hosts and all(_is_loopback(host) for host in hosts):
        return "loopback"
    if len(hosts) > 1:
        # Of several that somebody else set up one may be here, and another not.
        return None if facts.target.deployment == "external" else "network"
    # An address of the machine itself is reached without leaving it.
    return "loopback" if facts.co_located else None


def _encryption(facts: Facts) -> str | None:
    if facts.target.deployment == "in_process":
        return "none"
    schemes = {urlsplit(each).scheme for each in _endpoints(facts)}
    if not schemes:
        return None if facts.target.deployment == "external" else "none"
    if schemes == {"tls"}:
        return "tls"
    return "none" if schemes <= {"tcp", "unix"} else None


def _endpoints(facts: Facts) -> tuple[str, ...]:
    return tuple(facts.endpoints) or facts.target.endpoints


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _capped(facts: Facts, aspect: Aspect, value: Value | None) -> Value | None:
    limits = facts.target.limits
    if aspect == "memory" and limits.memory_mebibytes is not None:
        most = limits.memory_mebibytes * MEBIBYTE
        if not isinstance(value, Memory):
            return Memory(bytes=most)
        # The page cache of a node's files counts against its limit.
        own = most if value.page_cache or value.bytes == "unlimited" else min(value.bytes, most)
        return Memory(bytes=own)
    if aspect == "processors" and limits.cpus is not None:
        return min(value, limits.cpus) if isinstance(value, float | int) else limits.cpus
    return value


def _seen(facts: Facts, aspect: Aspect) -> tuple[Seen, ...]:
    """Everything that the rules of an aspect look at, up to the one that decides."""
    names: dict[str, None] = {}
    for rule in rules_of(facts, aspect):
        names |= dict.fromkeys(rule.facts())
        if all(_holds(facts, name, wanted) for name, wanted in rule.when.items()):
            break
    found = [facts.seen(name) for name in names]
    if aspect in {"transport", "encryption"}:
        found += [Seen("endpoint", "endpoint", each) for each in _endpoints(facts)]
    if aspect in {"acknowledgement", "reads"} and facts.copies is not None:
        found.append(Seen("topology", "replication_factor", str(facts.copies)))
    limits = facts.target.limits
    if aspect == "memory" and limits.memory_mebibytes is not None:
        found.append(Seen("limit", "memory_mebibytes", str(limits.memory_mebibytes)))
    if aspect == "processors" and limits.cpus is not None:
        found.append(Seen("limit", "cpus", f"{limits.cpus:g}"))
    return tuple(found)
