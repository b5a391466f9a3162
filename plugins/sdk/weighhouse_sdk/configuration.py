"""Says of each line of an effective configuration whether and by whom it was changed."""

from collections.abc import Collection, Mapping
from typing import Any

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.report import Setting, SettingSource

from weighhouse_sdk.parameters import declared


def system_names(manifest: Manifest) -> dict[str, str]:
    """Parameter → the system's own name of the setting it stands for.

    A parameter's schema names it with `x-setting`; default: the parameter's name.
    """
    return {
        name: str(schema.get("x-setting", name))
        for name, schema in declared(manifest.parameters).items()
    }


def system_value(schema: Mapping[str, object], value: Scalar) -> str:
    """A parameter's value as the system prints it back.

    `x-true` and `x-false` in the schema give the words for a flag, default `yes` and `no`;
    `x-scale` is what the system multiplies a number by, for example 1048576 for mebibytes;
    `x-words` has the system's own word for each choice of an enumeration; `x-suffix` is the unit
    that the system writes behind a number.
    """
    words = schema.get("x-words")
    if isinstance(words, Mapping) and value in words:
        return str(words[value])
    if isinstance(value, bool):
        return str(schema.get("x-true", "yes") if value else schema.get("x-false", "no"))
    scale = schema.get("x-scale", 1)
    suffix = schema.get("x-suffix", "")
    if isinstance(value, int) and isinstance(scale, int):
        return f"{value * scale}{suffix}"
    return f"{value}{suffix}"


def reported_names(manifest: Manifest, settings: Collection[str]) -> dict[str, str]:
    """Setting of a target beside its parameters → what the running system's report calls it."""
    table = manifest.settings
    if table is None:
        return {name: name for name in settings}
    return {name: table.reported.get(table.named(name), table.named(name)) for name in settings}


def own_name(manifest: Manifest, name: str) -> str:
    """A setting's name as its system has it, of those by which a target may call it."""
    return name if manifest.settings is None else manifest.settings.named(name)


def setting_word(value: Scalar, true: str = "yes", false: str = "no") -> str:
    """A setting's value as the system reads it.

    :param true: its word for a flag that is set, and `false` for one that is not.
    """
    return (true if value else false) if isinstance(value, bool) else str(value)


def nested(settings: Mapping[str, Scalar]) -> dict[str, Any]:
    """Settings by dotted names as the mapping of mappings that files in YAML and JSON have."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        *above, last = name.split(".")
        inner = found
        for each in above:
            inner = inner.setdefault(each, {})
        inner[last] = value
    return found


def overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """One mapping of mappings over another: where both have a value, that of `above`."""
    found = dict(below)
    for name, value in above.items():
        old = found.get(name)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            found[name] = overlaid(old, value)
        else:
            found[name] = value
    return found


def word_groups(manifest: Manifest, name: str, value: Scalar) -> list[list[str]]:
    """A setting's value as words of its system's command line, one list for each time that the name
    has to stand there.
    """
    count = 1 if manifest.settings is None else manifest.settings.words_of(name)
    words = setting_word(value).split(" ")
    return [words[first : first + count] for first in range(0, len(words), count)]


def same_value(one: str, other: str) -> bool:
    """Whether two printed values are the same word or the same number (`1.25`, `1.250`)."""
    if one == other:
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def explained(
    effective: Mapping[str, str],
    vendor: Mapping[str, str],
    by_experiment: Collection[str] = (),
    by_plugin: Collection[str] = (),
    *,
    places: Collection[str] = (),
) -> tuple[Setting, ...]:
    """The effective configuration with defaults and sources, sorted by name.

    :param effective: what the running system says.
    :param vendor: what the same version says as its vendor ships it; a missing name has an
        unknown default. Empty: it was not asked.
    :param by_experiment: names that the experiment set, whether or not to another value.
    :param by_plugin: names that the plugin may have set: it did where the value is another one.
    :param places: the same, of where the system listens and keeps its files.
    """

    def source(name: str, value: str, default: str | None) -> SettingSource:
        if name in by_experiment:
            return "experiment"
        if value == default:
            return "default"
        if name in places:
            return "place"
        if name in by_plugin:
            return "plugin"
        return "system" if vendor else "unknown"

    return tuple(
        Setting(
            name=name,
            value=value,
            default=vendor.get(name),
            source=source(name, value, vendor.get(name)),
        )
        for name, value in sorted(effective.items())
    )


def as_found(effective: Mapping[str, str]) -> tuple[Setting, ...]:
    """The effective configuration of a system that was there before, sorted by name: what its
    vendor ships cannot be asked of it, and nobody of ours has set anything.
    """
    return tuple(
        Setting(name=name, value=value, source="operator")
        for name, value in sorted(effective.items())
    )
