"""Pure: disclaimers out of manifests, disclosures, decisions, replies and challenges."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from weighhouse_protocol.disclosure import Disclosure
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.disclosure.completeness import NONE, bare
from weighhouse_backend.disclosure.models import Challenge, VendorReply
from weighhouse_backend.disclosure.schemas import DecisionRead, DisclaimerRead
from weighhouse_backend.disclosure.terms import POLICY_WORDS
from weighhouse_backend.kit.schemas import read_of

GRAVITY = {"bar": 0, "caution": 1, "note": 2}


class Setup(NamedTuple):
    """A target as it was, or is to be, set up."""

    target: Target
    machines: int = 1
    """That its nodes are spread over."""


def disclaimers_for(
    manifests: Iterable[Manifest],
    disclosure: Disclosure | None,
    setups: Collection[Setup] | None = None,
) -> list[DisclaimerRead]:
    """Every statement of plugins and people beside numbers of these systems, the gravest first.

    :param manifests: of the systems shown.
    :param disclosure: of the experiment they come from.
    :param setups: whose numbers these are; None: any of the systems', so that all is said.
    """
    found = [statement for manifest in manifests for statement in _of_system(manifest, setups)]
    if disclosure is not None:
        if disclosure.sponsor and bare(disclosure.sponsor) not in NONE:
            found.append(
                DisclaimerRead(
                    id="sponsor",
                    kind="sponsor",
                    system_id=None,
                    title=f"Paid by {disclosure.sponsor}",
                    text="The experiment had a sponsor, who may have chosen what was measured.",
                    source=None,
                    severity="caution",
                )
            )
        found += [
            DisclaimerRead(
                id=f"caveat-{number}",
                kind="person",
                system_id=None,
                title="Caveat of the experiment",
                text=text,
                source=disclosure.method_author or None,
                severity="note",
            )
            for number, text in enumerate(disclosure.caveats, 1)
        ]
        found += _written_replies(disclosure, setups)
    return gravest_first(found)


def gravest_first(found: Iterable[DisclaimerRead]) -> list[DisclaimerRead]:
    """In order of gravity; what is equally grave keeps its order."""
    return sorted(found, key=lambda one: GRAVITY[one.severity])


def of_decisions(decisions: Iterable[DecisionRead]) -> list[DisclaimerRead]:
    """What licences have to say: what may not be published, or on conditions, or by whose word."""
    found = []
    for one in decisions:
        source = (
            None
            if one.source is None
            else f"{one.source}, checked on {one.checked_on} by {one.reviewer}"
        )
        if one.override is not None:
            found.append(
                DisclaimerRead(
                    id=f"{one.system_id}-override",
                    kind="override",
                    system_id=one.system_id,
                    title=f"{one.name}: override by {one.override.made_by}",
                    text=f"{POLICY_WORDS[one.policy]}; shown to {one.override.audience} until "
                    f"{one.override.expires_at:%Y-%m-%d %H:%M} UTC all the same: "
                    f"{one.override.reason}",
                    source=source,
                    severity="caution",
                )
            )
        elif one.outcome != "allowed":
            found.append(
                DisclaimerRead(
                    id=f"{one.system_id}-benchmark-clause",
                    kind="vendor",
                    system_id=one.system_id,
                    title=f"{one.name}: not for publication",
                    text=". ".join(text for text in (one.reason, one.clause) if text),
                    source=source,
                    severity="bar" if one.outcome == "prohibited" else "caution",
                )
            )
        elif one.conditions:
            found.append(
                DisclaimerRead(
                    id=f"{one.system_id}-conditions",
                    kind="vendor",
                    system_id=one.system_id,
                    title=f"{one.name}: {POLICY_WORDS[one.policy]}",
                    text=" ".join(one.conditions),
                    source=source,
                    severity="note",
                )
            )
    return found


def of_replies(replies: Sequence[VendorReply], names: Mapping[str, str]) -> list[DisclaimerRead]:
    """What vendors say: each one's latest reply, and a mark where one was withdrawn.

    :param names: of the systems shown, by identifier; replies of others' vendors are left out.
    """
    found = []
    latest: dict[str, VendorReply] = {}
    for one in replies:
        if one.system_id in names and one.withdrawn_at is None:
            latest[one.system_id] = one
    for system_id, one in latest.items():
        earlier = f", version {one.version}" if one.version > 1 else ""
        found.append(
            DisclaimerRead(
                id=f"{system_id}-vendor-reply",
                kind="vendor_reply",
                system_id=system_id,
                title=f"{names[system_id]}: its vendor replies",
                text=one.text,
                source=f"{one.name}, {one.role}, {one.created_at:%Y-%m-%d}{earlier}",
                severity="note",
            )
        )
    found += [
        DisclaimerRead(
            id=f"{one.system_id}-vendor-reply-{one.version}-withdrawn",
            kind="vendor_reply",
            system_id=one.system_id,
            title=f"{names[one.system_id]}: a reply of its vendor was withdrawn",
            text=f"Version {one.version}, by {one.name}, was withdrawn on "
            f"{one.withdrawn_at:%Y-%m-%d} by {one.withdrawn_by}: {one.withdrawn_because}",
            source=None,
            severity="note",
        )
        for one in replies
        if one.system_id in names and one.withdrawn_at is not None
    ]
    return found


def of_challenges(
    challenges: Sequence[Challenge], names: Mapping[str, str]
) -> list[DisclaimerRead]:
    """What challenges say: those that were upheld mark the result, open ones are named.

    :param names: of the systems shown, by identifier; challenges of others are left out.
    """
    found = []
    for one in challenges:
        if one.system_id is not None and one.system_id not in names:
            continue
        of = "" if one.system_id is None else f"{names[one.system_id]}: "
        if one.state == "upheld":
            found.append(
                DisclaimerRead(
                    id=f"challenge-{one.id}",
                    kind="challenge",
                    system_id=one.system_id,
                    title=f"{of}challenged, and upheld",
                    text=f"{one.text} — {one.decision}",
                    source=f"{one.raised_by}; decided by {one.decided_by}",
                    severity="bar",
                )
            )
        elif one.state in {"open", "answered"}:
            answer = f" — {one.answered_by} answers: {one.answer}" if one.answer else ""
            found.append(
                DisclaimerRead(
                    id=f"challenge-{one.id}",
                    kind="challenge",
                    system_id=one.system_id,
                    title=f"{of}challenged, not decided yet",
                    text=f"{one.text}{answer}",
                    source=one.raised_by,
                    severity="caution",
                )
            )
    return found


def _of_system(manifest: Manifest, setups: Collection[Setup] | None) -> list[DisclaimerRead]:
    concerning = {
        said.id
        for setup in setups or ()
        if manifest.id in setup.target.plugins
        for said in manifest.concerning(*setup)
    }
    foreign = any(
        setup.target.system == manifest.id and setup.target.deployment == "external"
        for setup in setups or ()
    )
    return [
        *([_not_emptied(manifest)] if foreign else []),
        *_said(manifest, None if setups is None else concerning),
    ]


def _not_emptied(manifest: Manifest) -> DisclaimerRead:
    """Weighhouse deletes nothing on servers that it did not set up, so every repeat says so."""
    return DisclaimerRead(
        id=f"{manifest.id}-not-emptied",
        kind="plugin",
        system_id=manifest.id,
        title="Servers of somebody else were not emptied",
        text=f"These {manifest.name} servers were there before, and nothing on them is deleted by "
        "Weighhouse: records of other users, of earlier repeats and of earlier campaigns stayed. A "
        "repeat that loads does so over what was left, so that its loading may overwrite, records "
        "may outnumber the workload's, and memory, disk and caches are not those of a fresh "
        "system.",
        source=None,
        severity="caution",
    )


def _said(manifest: Manifest, concerning: Collection[str] | None) -> list[DisclaimerRead]:
    return [
        read_of(DisclaimerRead, one, id=f"{manifest.id}-{one.id}", system_id=manifest.id)
        for one in manifest.disclaimers
        if concerning is None or one.id in concerning
    ]


def _written_replies(
    disclosure: Disclosure, setups: Collection[Setup] | None
) -> list[DisclaimerRead]:
    """Replies that the experiment's author wrote down."""
    shown = None if setups is None else {setup.target.system for setup in setups}
    return [
        DisclaimerRead(
            id=f"{one.system}-vendor-reply-written",
            kind="vendor_reply",
            system_id=one.system,
            title=f"{one.system}: its vendor replied, as the experiment has it",
            text=one.vendor_reply.strip(),
            source=disclosure.method_author or None,
            severity="note",
        )
        for one in disclosure.systems
        if one.vendor_reply.strip() and (shown is None or one.system in shown)
    ]
