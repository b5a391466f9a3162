"""What somebody may write to have a setting that is never taken: for tests of every way in."""

from collections.abc import Iterator, Mapping

from weighhouse_protocol.configuration.tables import Grammar, Settings

LOOK_ALIKES = {"a": "а", "c": "с", "e": "е", "o": "о", "p": "р", "s": "ѕ", "d": "ｄ", "i": "ı"}
"""Letters → others that look the same (Cyrillic, full width, without a dot)."""
VALUES = (
    "a b", "a\nb", "a\r\nb", "a\tb", "a\x00b", "a\u2028b", "a\xa0b", 'a"', "a'", "'a'", "a\\",
    "a`id`", "$(id)", "${HOME}", "a,b", "a;b", "a&b", "a|b", "a=b", "--x", "-x", "--flagfile=x",
    "", " ", "/etc/passwd", "../x", "~/x", "@file", "!x", "&x", "*x", "{a", "}", "[a]", "<a",
    ">a", "a#", "#a", "a?", "\ufeffa", "\u200ba", "\u0430", "\uff11", "x" * 101, "__exec:x y",
    "\x1b[0m", "a\x7f",
)  # fmt: skip
"""Values that end a word, a line, a list or a quote of some system's grammar, begin an option, a
path or another file, or are told from a plain word by no eye."""


def dangers(settings: Settings) -> Iterator[tuple[str, str]]:
    """Names that are never an experiment's, and why: one for each pattern, and each alias that
    stands for one.
    """
    for reasons in (settings.never, settings.agent):
        for why, patterns in reasons.items():
            yield from ((_concrete(each), why) for each in patterns)
    for alias, meant in settings.aliases.items():
        reason = settings.why_never(meant) or settings.why_agent(meant)
        if reason is not None and not alias.startswith("-"):
            yield alias, reason


def _concrete(pattern: str) -> str:
    """A name that a pattern is of."""
    name = pattern.replace("*", "x")
    return name.removeprefix("-") if name.startswith("-") else name


def forms(name: str) -> Iterator[str]:
    """Other ways of writing a name, for a system, a reader or an eye that does not tell them
    apart.
    """
    yield from (name, name.upper(), name.title(), name.swapcase())
    yield from (name.replace("-", "_"), name.replace("_", "-"))
    yield from (f"{name}.x", f"{name}..x", f"{name}.", f".{name}", f"{name}.0")
    yield from (f"--{name}", f"-{name}", f"--{name}=x", f"{name}=x", f"{name} x", f" {name}")
    yield from (f"{name}\n", f"x\n{name}", f"{name}\r", f"{name}\x00", f"{name}\t", f"{name}#")
    yield from (f'"{name}"', f"'{name}'", f"{name}\u200b", f"\ufeff{name}", f"{name}\u00a0")
    for letter, other in LOOK_ALIKES.items():
        if letter in name:
            yield name.replace(letter, other, 1)


def file_with(grammar: Grammar, settings: Mapping[str, str]) -> str:
    """A configuration file with such lines, none of them quoted or otherwise made harmless."""
    return "".join(_LINES[grammar](name, value) for name, value in settings.items())


def _section(name: str, value: str) -> str:
    *above, last = name.split(".")
    return "\n".join(
        [*(f"{each} {{" for each in above), f"{last} {value}", *("}" for _ in above), ""]
    )


def _mapping(name: str, value: str) -> str:
    parts = name.split(".")
    lines = [f"{'  ' * depth}{each}:" for depth, each in enumerate(parts)]
    return "\n".join([*lines[:-1], f"{lines[-1]} {value}", ""])


def _heading(name: str, value: str) -> str:
    heading, _, own = name.partition(".")
    return f"[{heading}]\n{own}={value}\n" if own else f"{name}={value}\n"


_LINES = {
    "directives": lambda name, value: f"{name} {value}\n",
    "arguments": lambda name, value: f"--{name}={value}\n",
    "yaml": _mapping,
    "sections": _section,
    "ini": _heading,
}
