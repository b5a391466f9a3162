"""Options of YCSB's bindings as the target that they mean. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.addresses import address_errors, with_addresses_kept
from weighhouse_protocol.configuration.grammars import ConfigurationRefused
from weighhouse_protocol.configuration.translation import target_from
from weighhouse_protocol.document_errors import did_you_mean
from weighhouse_protocol.endpoints import bracketed
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared, value_problems
from weighhouse_protocol.target import Target
from weighhouse_protocol.yaml_document import field_errors
from weighhouse_protocol.ycsb import java
from weighhouse_protocol.ycsb.bindings import (
    ACCOUNT,
    BINDINGS,
    Binding,
    Does,
    Option,
    drivers_of,
    other_binding,
)
from weighhouse_protocol.ycsb.notes import Severity
from weighhouse_protocol.ycsb.reader import Reader

LEAVE_OUT = "leave it out of the file, or with --leave-out"
DAYS_30 = 30 * 86_400
"""What Memcached takes for seconds from now; more is a moment."""
NEVER = 2**31 - 1
"""What YCSB's binding of Memcached says where nothing is to expire."""
LYING_THERE = {"rocksdb.dir"}
"""Options that name data which is not looked at."""


def tell_strange(reader: Reader, drivers: Sequence[str]) -> None:
    """Say of options of bindings that are none of the targets' why they cannot be carried out.

    :param drivers: of the targets; empty: there are no targets, and nothing is refused.
    """
    for name in reader.entries:
        theirs = drivers_of(name)
        other = other_binding(name) if not theirs else None
        if other is not None and drivers:
            message = (
                f"is an option of YCSB's binding {other}, which stands for no system here: "
                f"{LEAVE_OUT}"
            )
            reader.refuse(name, message)
        elif (theirs or other is not None) and not drivers:
            message = "is not taken: it is of the target, and a workload has none"
            reader.note(name, message, "caution")
        elif theirs and name != "table" and not set(theirs) & set(drivers):
            bindings = " or ".join(BINDINGS[driver].names for driver in theirs)
            message = (
                f"is an option of YCSB's binding {bindings}, and no target is of that kind: "
                f"{LEAVE_OUT}"
            )
            reader.refuse(name, message)
    if "db" in reader.entries:
        _tell_class(reader, drivers)


def _tell_class(reader: Reader, drivers: Sequence[str]) -> None:
    named = reader.get("db").rpartition(".")[2]
    theirs = [driver for driver, one in BINDINGS.items() if named in one.classes]
    if drivers and not set(theirs) & set(drivers) and named not in ("BasicDB", "BasicTSDB"):
        message = "is not what is weighed: the system is a target of the experiment"
        reader.note("db", message, "caution")
    else:
        reader.note("db", "has no effect: the system is a target of the experiment")


@dataclass
class _Draft:
    """A target while it is put together."""

    reader: Reader
    manifest: Manifest
    credentials: str | None
    options: dict[str, Scalar] = field(default_factory=dict)
    said_by: dict[str, str] = field(default_factory=dict)
    """Driver option → the property that said it."""
    parameters: dict[str, Scalar] = field(default_factory=dict)
    places: list[tuple[str, str]] = field(default_factory=list)
    """Property and a place of its, without a scheme."""
    port: str | None = None
    port_by: str = ""
    tls_by: str = ""
    url_by: str = ""
    account_by: str = ""

    def set(self, name: str, option: str, value: Scalar) -> None:
        """One driver option, held against what the driver declares."""
        schema = declared(self.manifest.driver.options).get(option)
        if schema is None:
            self.reader.refuse(name, f"{self.manifest.name}'s driver has no option {option}")
            return
        if problems := value_problems(schema, value):
            self.reader.refuse(name, f"is driver_options.{option}, but {problems[0]}")
            return
        before = self.options.get(option)
        if before is not None and before != value:
            message = (
                f"is driver_options.{option}, which {self.said_by[option]} says is another: say "
                "one of them"
            )
            self.reader.refuse(name, message)
            return
        self.options[option] = value
        self.said_by[option] = name


def target_of(
    reader: Reader, manifest: Manifest, *, name: str, credentials: str | None = None
) -> Target | None:
    """The target that properties mean on a system; what cannot be is among the reader's problems.

    :param name: of the target.
    :param credentials: what a user and a password in the properties are called in agents' settings.
    :returns: None: something is wrong with it.
    """
    binding = BINDINGS.get(manifest.driver.id)
    draft = _Draft(reader, manifest, credentials)
    known = len(reader.problems)
    if binding is not None:
        for each in list(reader.entries):
            _apply(draft, binding, each)
    if len(reader.problems) > known:
        return None
    return _finished(draft, name)


def _apply(draft: _Draft, binding: Binding, name: str) -> None:
    option = binding.options.get(name)
    if option is not None:
        APPLIED[option.does](draft, name, option, draft.reader.get(name))
    elif name.startswith(binding.prefixes):
        close = did_you_mean(name, list(binding.options))
        message = f"is no option of YCSB's binding {binding.names} that is known here"
        draft.reader.refuse(name, f"{message}: {LEAVE_OUT}{close}")


def _nothing(draft: _Draft, name: str, option: Option, _: str) -> None:
    severity: Severity = "caution" if name in LYING_THERE else "note"
    draft.reader.note(name, f"has no effect: {option.says}", severity)


def _refused(draft: _Draft, name: str, option: Option, value: str) -> None:
    if value.strip().lower() in option.harmless:
        draft.reader.note(name, "says what is so here anyway")
    else:
        draft.reader.refuse(name, f"cannot be carried out: {option.says}")


def _host(draft: _Draft, name: str, _: Option, value: str) -> None:
    draft.places.append((name, bracketed(value)))


def _hosts(draft: _Draft, name: str, _: Option, value: str) -> None:
    for each in value.split(","):
        alone = each.count(":") > 1 and not each.startswith("[")
        draft.places.append((name, bracketed(each) if alone else each))


def _port(draft: _Draft, name: str, _: Option, value: str) -> None:
    draft.port, draft.port_by = value, name


def _url(draft: _Draft, name: str, _option: Option, _: str) -> None:
    draft.url_by = name


def _tls(draft: _Draft, name: str, _: Option, value: str) -> None:
    draft.tls_by = name if java.flag(value) else draft.tls_by


def _account(draft: _Draft, name: str, _option: Option, _: str) -> None:
    draft.account_by = name
    if draft.credentials is not None:
        draft.reader.note(name, f"is what the agent has as credentials {draft.credentials}")
        return
    message = (
        f"is refused: {ACCOUNT}; {LEAVE_OUT}, and say --credentials NAME for what stands under "
        "[credentials.NAME] in the agent's policy"
    )
    draft.reader.refuse(name, message)


def _expiry(_draft: _Draft, _name: str, _option: Option, _: str) -> None:
    """Of the workload: by `expiry_of`."""


def _driver_option(draft: _Draft, name: str, option: Option, value: str) -> None:
    if (other := option.elsewhere.get(value.lower())) is not None:
        draft.set(name, *other)
        return
    for into in option.into:
        kind = declared(draft.manifest.driver.options).get(into, {}).get("type")
        given: Scalar = value
        if option.words:
            word = value.lower() if option.lowered else value
            if word not in option.words:
                known = ", ".join(option.words)
                message = f"is driver_options.{into}, and {value[:40]!r} is not one of {known}"
                draft.reader.refuse(name, message)
                return
            given = option.words[word]
        elif kind == "integer":
            given = draft.reader.number(name, 0)
            if str(given) != value.lstrip("+"):
                return  # told of as no number
        elif kind == "boolean":
            given = java.flag(value)
        draft.set(name, into, given)


def _options_file(draft: _Draft, name: str, _: Option, value: str) -> None:
    reader = draft.reader
    text = reader.beside(value)
    if text is None:
        reader.refuse(name, f"the file {value[:60]!r} is not there: its lines become `parameters`")
        return
    try:
        found = target_from(text, draft.manifest, value)
    except ConfigurationRefused as error:
        for fault in error.faults:
            where = f"line {fault.line} of it " if fault.line else ""
            reader.refuse(name, f"{where}{fault.message}")
        return
    draft.parameters |= found.parameters
    for one in found.left:
        severity: Severity = "note" if one.reason == "agent" else "caution"
        reader.note(name, f"line {one.line} of it: {one.name} {one.message}", severity)


APPLIED: Mapping[Does, Callable[[_Draft, str, Option, str], None]] = {
    "host": _host,
    "port": _port,
    "hosts": _hosts,
    "url": _url,
    "tls": _tls,
    "driver": _driver_option,
    "account": _account,
    "expiry": _expiry,
    "options_file": _options_file,
    "nothing": _nothing,
    "refused": _refused,
}


def _finished(draft: _Draft, name: str) -> Target | None:
    reader, manifest = draft.reader, draft.manifest
    document: dict[str, Any] = {
        "name": name,
        "system": manifest.id,
        "deployment": manifest.default_deployment,
        "parameters": draft.parameters,
        "driver_options": draft.options,
    }
    endpoints, by = _endpoints(draft)
    if endpoints:
        return _there(draft, {**document, "endpoints": endpoints, "deployment": "external"}, by)
    for lone in (draft.tls_by, draft.account_by):
        if lone:
            reader.refuse(lone, "is of a server that is there, and no property says where it is")
            return None
    return Target.model_validate(document)


def _there(draft: _Draft, document: dict[str, Any], by: str) -> Target | None:
    """A target that somebody else set up.

    :param by: property that says where it is.
    """
    reader, manifest = draft.reader, draft.manifest
    if "external" not in manifest.deployments:
        reader.refuse(by, f"{manifest.name} is nowhere else than on the agent's machine")
        return None
    accounts = {name for one in BINDINGS.values() for name in accounts_of(one)}
    if draft.account_by or not accounts & reader.entries.keys():
        document["credentials"] = draft.credentials
    try:
        target = Target.model_validate(document)
        wrong = list(address_errors(target, manifest))
    except ValidationError as error:
        wrong = field_errors(error, Target)
    if wrong:
        reader.refuse(by, "; ".join(part for part in (wrong[0].message, wrong[0].expected) if part))
        return None
    kept = with_addresses_kept(target, {manifest.id: manifest})
    for option, value in kept.driver_options.items():
        if problems := value_problems(declared(manifest.driver.options)[option], value):
            reader.refuse(by, f"says driver_options.{option}, but {problems[0]}")
            return None
    if by == draft.url_by and kept.driver_options.get("database") == "admin":
        # Whoever logs in by it does not mean to write there: YCSB takes its own in its place.
        options = {**kept.driver_options, "database": "ycsb"}
        kept = kept.model_copy(update={"driver_options": options})
        reader.note(by, "names the database admin, for which YCSB takes ycsb: so it is here")
    message = f"is where it is loaded and measured: {', '.join(kept.endpoints)}"
    reader.note(by, f"{message}; without it the agent starts a server of its own", "caution")
    return kept


def accounts_of(binding: Binding) -> frozenset[str]:
    """Options that are a user or a password."""
    return frozenset(name for name, one in binding.options.items() if one.does == "account")


def _endpoints(draft: _Draft) -> tuple[list[str], str]:
    """Addresses as people write them, and the property that they are of."""
    scheme = "tls" if draft.tls_by else "tcp"
    if draft.url_by:
        return [draft.reader.get(draft.url_by)], draft.url_by
    if draft.port is not None and not draft.places:
        # As in YCSB, where no host is the machine itself.
        draft.places.append((draft.port_by, "localhost"))
    found = []
    for _, place in draft.places:
        bare = place.rpartition("]")[2] if place.startswith("[") else place
        behind = "" if draft.port is None or ":" in bare else f":{draft.port}"
        found.append(f"{scheme}://{place}{behind}")
    return found, draft.places[0][0] if draft.places else ""


def expiry_of(reader: Reader, drivers: Sequence[str]) -> Mapping[str, int]:
    """What of a workload's document is about the time that records have."""
    name = "memcached.objectExpirationTime"
    if name not in reader.entries or "memcached" not in drivers:
        return {}
    seconds = reader.number(name, NEVER)
    if seconds in (0, NEVER):
        reader.note(name, "says what is so here anyway: nothing expires")
        return {}
    if not 0 < seconds <= DAYS_30:
        message = f"{seconds} is a moment to Memcached, not a time; a time has at most 30 days"
        reader.refuse(name, message)
        return {}
    if set(drivers) != {"memcached"}:
        message = "is the workload's `ttl_seconds`, of all targets: take Memcached alone"
        reader.refuse(name, message)
        return {}
    return {"ttl_seconds": seconds}
