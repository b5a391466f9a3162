"""Pure: disclaimers out of manifests and disclosures, completeness, the strictest policy."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from weighhouse_protocol.experiment import Disclosure
from weighhouse_protocol.manifest import Manifest, PublicationPolicy
from weighhouse_protocol.target import Target

from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureItem, DisclosureRead

STRICTNESS: tuple[PublicationPolicy, ...] = (
    "open",
    "open_with_disclosure",
    "unknown",
    "consent_required",
    "prohibited",
)
POLICY_WORDS: Mapping[PublicationPolicy, str] = {
    "open": "may be published",
    "open_with_disclosure": "may be published with its disclosure",
    "unknown": "terms unknown: stays private to the organization",
    "consent_required": "takes the vendor's consent: stays private to the organization",
    "prohibited": "must not be published",
}
TUNING_WORDS = {
    "neutral_default": "neutral, default settings",
    "vendor_tuned": "tuned by its vendor",
    "competitor_tuned": "tuned by a competitor",
    "community": "community settings",
    "unknown": "unknown",
}


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
    """Every statement that must stand beside numbers of these systems, the gravest first.

    :param manifests: of the systems shown.
    :param disclosure: of the experiment they come from.
    :param setups: whose numbers these are; None: any of the systems', so that all is said.
    """
    found = [statement for manifest in manifests for statement in _of_system(manifest, setups)]
    if disclosure is not None:
        if disclosure.sponsor and disclosure.sponsor.lower() not in {"nobody", "none"}:
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
    order = {"bar": 0, "caution": 1, "note": 2}
    return sorted(found, key=lambda one: order[one.severity])


def _of_system(manifest: Manifest, setups: Collection[Setup] | None) -> list[DisclaimerRead]:
    concerning = {
        said.id
        for setup in setups or ()
        if manifest.id in setup.target.plugins
        for said in manifest.concerning(*setup)
    }
    found = [
        DisclaimerRead(
            id=f"{manifest.id}-{one.id}",
            kind=one.kind,
            system_id=manifest.id,
            title=one.title,
            text=one.text,
            source=one.source,
            severity=one.severity,
        )
        for one in manifest.disclaimers
        if setups is None or one.id in concerning
    ]
    clause = manifest.benchmark_clause
    if clause.policy not in {"open", "open_with_disclosure"}:
        found.append(
            DisclaimerRead(
                id=f"{manifest.id}-benchmark-clause",
                kind="vendor",
                system_id=manifest.id,
                title=f"{manifest.name}: {POLICY_WORDS[clause.policy]}",
                text=clause.text,
                source=f"{clause.source}, checked on {clause.checked_on}",
                severity="bar" if clause.policy == "prohibited" else "caution",
            )
        )
    return found


def disclosure_sheet(
    disclosure: Disclosure | None, manifests: Mapping[str, Manifest]
) -> DisclosureRead:
    """A disclosure in lines, with how complete it is.

    Asked are: sponsor, author of the method, affiliations, and for each system who configured it
    and in which spirit.

    :param manifests: of the systems compared, by id.
    """
    given = disclosure or Disclosure()
    systems = {one.system: one for one in given.systems}
    answers = [bool(given.sponsor), bool(given.method_author), bool(given.affiliations)]
    items = [
        DisclosureItem(label="sponsor", value=given.sponsor or "not disclosed"),
        DisclosureItem(label="method", value=given.method_author or "not disclosed"),
        DisclosureItem(label="affiliations", value=given.affiliations or "not disclosed"),
    ]
    for system_id, manifest in sorted(manifests.items()):
        said = systems.get(system_id)
        answers += [bool(said and said.configured_by), bool(said and said.tuning != "unknown")]
        words = TUNING_WORDS[said.tuning] if said else "not disclosed"
        who = f" by {said.configured_by}" if said and said.configured_by else ""
        asked = ", vendor asked" if said and said.vendor_contacted else ""
        items.append(DisclosureItem(label=manifest.name, value=f"{words}{who}{asked}"))
        items.append(
            DisclosureItem(
                label=f"{manifest.name}, licence",
                value=f"{manifest.licence}; {POLICY_WORDS[manifest.benchmark_clause.policy]}",
            )
        )
    policies = [manifest.benchmark_clause.policy for manifest in manifests.values()]
    return DisclosureRead(
        completeness=sum(answers) / len(answers),
        items=items,
        publication=max(policies, key=STRICTNESS.index, default="open_with_disclosure"),
    )
