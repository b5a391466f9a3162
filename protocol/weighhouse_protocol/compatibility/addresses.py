"""Addresses of an external target, as people wrote them, by its plugin's manifest. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.document_errors import LONGEST_TOLD, FieldError
from weighhouse_protocol.endpoints import (
    PLAIN,
    Forms,
    NotAnEndpoint,
    announced_of,
    concealed,
    taken,
)
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.target import Target
from weighhouse_protocol.text import seen

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def forms_of(manifest: Manifest) -> Forms:
    """How addresses of a manifest's system are written."""
    return manifest.addresses or PLAIN


def with_addresses_kept(target: Target, manifests: Mapping[str, Manifest]) -> Target:
    """A target whose addresses stand in the form that is kept, and what else they said among its
    driver options; what cannot be read is left as it is, for `address_errors` to tell.
    """
    manifest = manifests.get(target.system)
    if target.deployment != "external" or manifest is None or any(address_errors(target, manifest)):
        return target
    found, options = _read(target, manifest)
    kept = {announced_of(name): _reached(end, target, manifest)
            for name, end in target.address_map.items()}  # fmt: skip
    return target.model_copy(
        update={
            "endpoints": found,
            "driver_options": {**target.driver_options, **options},
            "address_map": kept,
        }
    )


def address_errors(target: Target, manifest: Manifest) -> Iterator[FieldError]:
    """What is wrong with a target's addresses; nothing of one that may be secret is repeated.

    :returns: errors with paths in the target.
    """
    forms, said = forms_of(manifest), dict(target.driver_options)
    for index, endpoint in enumerate(target.endpoints):
        path = f"endpoints[{index}]"
        try:
            options = _typed(taken(endpoint, forms).options, manifest)
        except NotAnEndpoint as error:
            yield FieldError(
                path=path,
                message=f"`{seen(concealed(endpoint))[:LONGEST_TOLD]}`: {error}",
                expected=f"for example {forms.example}",
            )
            continue
        for name, value in options.items():
            if said.setdefault(name, value) != value:
                yield FieldError(
                    path=path,
                    message=f"it says another `{name}` than driver_options.{name}"
                    if name in target.driver_options
                    else f"it says another `{name}` than the addresses before it",
                    expected="the same, said once",
                )
    kinds = {one.split("://")[0] for one in _known(target, forms)}
    if len(kinds) > 1:
        yield FieldError(
            path="endpoints",
            message=f"some are reached by {' and some by '.join(sorted(kinds))}",
            expected="one way in for all servers",
        )
    yield from _map_errors(target, manifest)


def _map_errors(target: Target, manifest: Manifest) -> Iterator[FieldError]:
    """What is wrong with where announced servers are said to be reached."""
    if not target.address_map:
        return
    if not forms_of(manifest).address_map:
        yield FieldError(
            path="address_map",
            message=f"the driver of {manifest.name} goes where its servers say that they are",
            expected="no address_map; let the servers announce addresses that lead to them",
        )
        return
    for name, end in target.address_map.items():
        told = f"`{seen(concealed(name))[:LONGEST_TOLD]}`"
        try:
            announced_of(name)
        except NotAnEndpoint as error:
            yield FieldError(
                path="address_map",
                message=f"{told}: {error}",
                expected="HOST:PORT as the servers announce it, for example 10.0.0.11:7000",
            )
            continue
        try:
            _reached(end, target, manifest)
        except NotAnEndpoint as error:
            yield FieldError(
                path="address_map",
                message=f"{told}: `{seen(concealed(end))[:LONGEST_TOLD]}`: {error}",
                expected=f"an address as in endpoints, for example {forms_of(manifest).example}",
            )


def _reached(end: str, target: Target, manifest: Manifest) -> str:
    """Where an announced server is reached, in the form that is kept and by the endpoints' way in.

    :raises NotAnEndpoint: when it is none, or says more than where it is.
    """
    forms = forms_of(manifest)
    kind = next((each.split("://")[0] for each in _known(target, forms)), forms.kinds[0])
    if kind not in ("tcp", "tls"):
        raise NotAnEndpoint("a socket of the agent's machine announces nobody")
    found = taken(end if "://" in end else f"{kind}://{end}", forms)
    if found.options or len(found.endpoints) != 1:
        raise NotAnEndpoint("it is to be one server, and nothing else")
    if found.endpoints[0].kind != kind:
        raise NotAnEndpoint(f"the endpoints are reached by {kind}://")
    return str(found.endpoints[0])


def _known(target: Target, forms: Forms) -> Iterator[str]:
    for endpoint in target.endpoints:
        try:
            yield from map(str, taken(endpoint, forms).endpoints)
        except NotAnEndpoint:
            continue


def _read(target: Target, manifest: Manifest) -> tuple[tuple[str, ...], dict[str, Scalar]]:
    found: list[str] = []
    options: dict[str, Scalar] = {}
    for endpoint in target.endpoints:
        one = taken(endpoint, forms_of(manifest))
        found += map(str, one.endpoints)
        options |= _typed(one.options, manifest)
    return tuple(dict.fromkeys(found)), options


def _typed(options: Mapping[str, str], manifest: Manifest) -> dict[str, Scalar]:
    """Values as the driver's options have them: `3`, `true`, and `secondaryPreferred` where the
    option has a choice `secondary_preferred`.
    """
    schemas = declared(manifest.driver.options)
    return {name: _value(value, schemas.get(name, {})) for name, value in options.items()}


def _value(text: str, schema: Mapping[str, Any]) -> Scalar:
    kind, choices = schema.get("type"), schema.get("enum", ())
    if kind == "integer" and re.fullmatch(r"\d{1,18}", text):
        return int(text)
    if kind == "boolean" and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    plain = _HUMP.sub("_", text).lower()
    return plain if text not in choices and plain in choices else text
