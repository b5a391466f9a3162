"""Pure: under which terms a target's figures stand, and whether they may leave the organization."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from weighhouse_protocol.manifest import Edition, Manifest, PublicationPolicy
from weighhouse_protocol.target import Target

from weighhouse_backend.disclosure.schemas import (
    Audience,
    ConsentRead,
    DecisionRead,
    Outcome,
    OverrideRead,
)

STRICTNESS: tuple[PublicationPolicy, ...] = (
    "open",
    "open_with_conditions",
    "open_with_disclosure",
    "unknown",
    "consent_required",
    "prohibited",
)
POLICY_WORDS: Mapping[PublicationPolicy, str] = {
    "open": "may be published",
    "open_with_conditions": "may be published on conditions",
    "open_with_disclosure": "may be published with its disclosure",
    "unknown": "terms unknown: stays private to the organization",
    "consent_required": "takes the vendor's consent: stays private to the organization",
    "prohibited": "must not be published",
}
WIDTH: Mapping[Audience, int] = {"internal": 0, "others": 1, "public": 2}
"""A wider audience has the narrower ones in it."""


@dataclass(frozen=True)
class Terms:
    """An edition of a product, and the targets that are it."""

    system_id: str
    name: str
    edition: Edition | None
    """None: not known which, or no manifest tells."""
    editions: Sequence[str]
    """Identifiers of those there are."""
    targets: Sequence[str]

    @property
    def policy(self) -> PublicationPolicy:
        """What the edition's licence says; unknown of an edition that is not known."""
        return "unknown" if self.edition is None else self.edition.policy


def terms_of(targets: Collection[Target], manifests: Mapping[str, Manifest]) -> list[Terms]:
    """The terms of targets and of the load tools they take, each edition once."""
    found: dict[tuple[str, str | None], list[str]] = {}
    editions: dict[tuple[str, str | None], Edition | None] = {}
    for target in targets:
        for plugin_id in target.plugins:
            manifest = manifests.get(plugin_id)
            edition = None if manifest is None else manifest.edition_of(target)
            key = (plugin_id, None if edition is None else edition.id)
            editions[key] = edition
            found.setdefault(key, []).append(target.name)
    return [
        Terms(
            system_id=key[0],
            name=manifests[key[0]].name if key[0] in manifests else key[0],
            edition=editions[key],
            editions=[one.id for one in manifests[key[0]].known_editions]
            if key[0] in manifests
            else [],
            targets=names,
        )
        for key, names in found.items()
    ]


def decide(
    terms: Terms,
    audience: Audience,
    consents: Sequence[ConsentRead],
    overrides: Sequence[OverrideRead],
    now: datetime.datetime,
    *,
    disclosed: bool,
) -> DecisionRead:
    """Whether figures under some terms may be shown to an audience.

    :param consents: of the project; those that concern other systems, campaigns or editions, and
        those that ended, have no effect. They lift what takes consent and what is unknown, never
        what is forbidden.
    :param overrides: of the campaign; they lift anything for their own audience and narrower ones.
    :param disclosed: whether people answered all that only they know.
    """
    edition = terms.edition
    consent = next((one for one in consents if _consents(one, terms, now)), None)
    override = next((one for one in overrides if _overrides(one, terms, audience, now)), None)
    outcome, reason, mend = _outcome(terms, disclosed=disclosed)
    if outcome in {"needs_consent", "unknown"} and consent is not None:
        outcome, mend = "allowed", None
        reason = (
            f"consent by {consent.given_by} of {consent.given_on.isoformat()}: {consent.covers}"
        )
    if outcome != "allowed" and override is not None:
        outcome, mend = "allowed", None
        reason = f"override by {override.made_by}: {override.reason}"
    else:
        override = None
    return DecisionRead(
        system_id=terms.system_id,
        name=terms.name,
        targets=list(terms.targets),
        edition_id=None if edition is None else edition.id,
        edition=None if edition is None else edition.name,
        licence="" if edition is None else edition.licence,
        policy=terms.policy,
        clause="" if edition is None else edition.text,
        conditions=[] if edition is None else list(edition.conditions),
        source=None if edition is None else edition.source,
        checked_on=None if edition is None else edition.checked_on,
        reviewer="" if edition is None else edition.reviewer,
        outcome="allowed" if audience == "internal" else outcome,
        reason=reason,
        mend=mend,
        consent=consent,
        override=override,
    )


def _outcome(terms: Terms, *, disclosed: bool) -> tuple[Outcome, str, str | None]:
    """The outcome without consents and overrides, its reason, and what would mend it."""
    edition = terms.edition
    ask = "record the vendor's consent on the campaign's page, under Disclosure"
    if edition is None:
        several = f"say which: targets[…].edition is one of {', '.join(terms.editions)}; or {ask}"
        return (
            "unknown",
            f"which edition of {terms.name} it was is not known, nor are its terms",
            several if terms.editions else f"let an agent bring its plugin; or {ask}",
        )
    of = f"{terms.name}, {edition.name}" if edition.name != terms.name else terms.name
    gaps = edition.policy == "open_with_disclosure" and not disclosed
    outcomes: dict[PublicationPolicy, tuple[Outcome, str, str | None]] = {
        "open": ("allowed", POLICY_WORDS["open"], None),
        "open_with_conditions": ("allowed", POLICY_WORDS["open_with_conditions"], None),
        "open_with_disclosure": (
            "needs_disclosure" if gaps else "allowed",
            "may be published with its disclosure alone, which has gaps"
            if gaps
            else POLICY_WORDS["open_with_disclosure"],
            "answer what is missing in the experiment's disclosure, and measure again"
            if gaps
            else None,
        ),
        "consent_required": ("needs_consent", "publishing takes the vendor's consent", ask),
        "unknown": ("unknown", "what its terms say of publishing is not known", ask),
        "prohibited": (
            "prohibited",
            "its licence forbids to publish results",
            "an owner may override it for one campaign, with a reason, on the campaign's page",
        ),
    }
    outcome, reason, mend = outcomes[edition.policy]
    return outcome, f"{of}: {reason}", mend


def _consents(consent: ConsentRead, terms: Terms, now: datetime.datetime) -> bool:
    edition_id = None if terms.edition is None else terms.edition.id
    return (
        consent.system_id == terms.system_id
        and consent.edition_id in {None, edition_id}
        and consent.withdrawn_at is None
        and (consent.expires_on is None or now.date() <= consent.expires_on)
    )


def _overrides(
    override: OverrideRead, terms: Terms, audience: Audience, now: datetime.datetime
) -> bool:
    return (
        override.system_id == terms.system_id
        and WIDTH[audience] <= WIDTH[override.audience]
        and override.ended_at is None
        and now < override.expires_at
    )
