r"""Patterns of texts, as a plugin's manifest may write them: read here, matched as a whole by an
engine whose work grows with the text and never with its choices.

What is read is what browsers, Rust and Python mean by it alike: literals, `.`, classes, groups,
alternatives, repetitions, `^` and `$`. `\d`, `\w` and `\s` are those of ASCII.
"""

from functools import lru_cache

from pydantic_core import SchemaValidator, core_schema

LONGEST_PATTERN = 200
"""Characters."""
MOST_PLACES = 500
"""Of a pattern with its repetitions written out: each literal is one, and so is each class, with
one more for every four ranges of it."""
KEPT = 128
"""Compiled patterns; one of `MOST_PLACES` takes two megabytes at most."""

SETS = {"d": "0-9", "w": "0-9A-Z_a-z", "s": r"\t-\r\x20"}
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
RANGES = 4
MOST_DIGITS = 4
"""Of the number of a repetition."""


class PatternRefused(ValueError):
    """A pattern that is not read; says what of it, and what would be."""


def check_pattern(pattern: str) -> int:
    """Read a pattern.

    :returns: its places, at most `MOST_PLACES`.
    :raises PatternRefused: when it is none, is too large, or has what is not read.
    """
    _, places = _read(pattern)
    _compiled(pattern)
    return places


def matches(pattern: str, text: str) -> bool:
    """Whether a whole text is as a pattern says; a newline at its end is a character like others.

    :raises PatternRefused: as `check_pattern`.
    """
    return _compiled(pattern).isinstance_python(text)


@lru_cache(maxsize=KEPT)
def _compiled(pattern: str) -> SchemaValidator:
    schema = core_schema.str_schema(
        pattern=rf"\A(?:{_read(pattern)[0]})\z", strict=True, regex_engine="rust-regex"
    )
    return SchemaValidator(schema)


def _read(pattern: str) -> tuple[str, int]:
    if len(pattern) > LONGEST_PATTERN:
        raise PatternRefused(f"has {len(pattern)} characters, up to {LONGEST_PATTERN} are read")
    return _Reader(pattern).read()


class _Reader:
    """Reads a pattern once from left to right, and writes it for the engine."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.written: list[str] = []
        self.open = [1]
        """Places of the whole and of each group that is open."""
        self.last: int | None = None
        """Places of what a repetition would repeat; None: there is nothing to repeat."""

    def read(self) -> tuple[str, int]:
        """The pattern as the engine has it, and its places."""
        while self.at < len(self.text):
            self._one()
            if self.open[-1] > MOST_PLACES:
                raise PatternRefused(
                    f"is larger than {MOST_PLACES} places with its repetitions written out: "
                    "say the length by `maxLength`, or repeat less"
                )
        if len(self.open) > 1:
            raise PatternRefused("has a `(` that is not closed")
        return "".join(self.written), self.open[0]

    def _one(self) -> None:
        sign = self._next()
        if sign == "(":
            if self._taken("?") and not self._taken(":"):
                raise PatternRefused(
                    f"has `(?{self._peek()}`: groups are `(…)` or `(?:…)`, nothing is looked ahead "
                    "or behind for, and flags there are none"
                )
            self.written.append("(?:")
            self.open.append(1)
            self.last = None
        elif sign == ")":
            if len(self.open) == 1:
                raise PatternRefused("has a `)` that closes nothing: write `\\)`")
            self.written.append(")")
            self._counted(self.open.pop())
        elif sign in "|^$":
            self.written.append(sign)
            self.last = None
        elif sign in "*+?{":
            self._repeated(sign)
        elif sign == "[":
            self._class()
        elif sign == ".":
            self._item(".", 1)
        elif sign == "\\":
            self._escaped()
        else:
            self._item(_plain(sign), 1)

    def _escaped(self) -> None:
        sign = self._next("an escape that escapes nothing")
        if sign.lower() in SETS:
            negated = "" if sign in SETS else "^"
            self._item(f"[{negated}{SETS[sign.lower()]}]", 2)
        else:
            self._item(_plain(_literal(sign)), 1)

    def _repeated(self, sign: str) -> None:
        if self.last is None:
            raise PatternRefused(f"has a `{sign}` that repeats nothing: write `\\{sign}`")
        times = 1
        if sign == "{":
            inside, closing, _ = self.text[self.at :].partition("}")
            least, comma, most = inside.partition(",")
            numbers = [each for each in (least, most) if each]
            if not (closing and least and all(_is_number(each) for each in numbers)):
                raise PatternRefused(
                    f"has a `{{` that is no repetition such as `{{2,8}}` of up to {MOST_DIGITS} "
                    "digits: write `\\{`"
                )
            if most and int(most) < int(least):
                raise PatternRefused(f"has `{{{inside}}}`, whose end is before its beginning")
            times = int(most) if most else int(least) + len(comma)
            sign = f"{{{inside}}}"
            self.at += len(inside) + 1
        self.written.append(sign)
        self.open[-1] += self.last * max(times - 1, 0)
        self.last = None

    def _class(self) -> None:
        negated = "^" if self._taken("^") else ""
        parts: list[str] = []
        while not self._taken("]"):
            sign = self._next("a `[` that is not closed: write `\\[`")
            if sign == "\\" and self._peek() in SETS:
                parts.append(SETS[self._next()])
                continue
            first = self._member(sign)
            last = first
            if self._peek() == "-" and self.text[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                last = self._member(self._next())
            if last < first:
                raise PatternRefused(f"has `{first}-{last}`, whose end is before its beginning")
            parts.append(_plain(first) if first == last else f"{_plain(first)}-{_plain(last)}")
        if not parts:
            raise PatternRefused("has an empty class: write what `[…]` may be")
        self._item(f"[{negated}{''.join(parts)}]", 1 + len(parts) // RANGES)

    def _member(self, sign: str) -> str:
        return _literal(self._next("a class that is not closed")) if sign == "\\" else sign

    def _item(self, written: str, places: int) -> None:
        self.written.append(written)
        self._counted(places)

    def _counted(self, places: int) -> None:
        self.open[-1] += places
        self.last = places

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _next(self, missing: str = "") -> str:
        sign = self._peek()
        if not sign:
            raise PatternRefused(f"has {missing}")
        self.at += 1
        return sign

    def _taken(self, sign: str) -> bool:
        found = self._peek() == sign
        self.at += found
        return found


def _is_number(text: str) -> bool:
    return len(text) <= MOST_DIGITS and text.isascii() and text.isdigit()


def _literal(sign: str) -> str:
    """The character that an escape stands for."""
    if sign in CONTROLS:
        return CONTROLS[sign]
    if sign.isalnum():
        raise PatternRefused(
            f"has `\\{sign}`: escapes are \\d \\w \\s \\D \\W \\S, \\n \\r \\t \\f \\v, and those "
            "of signs; in a class neither \\D nor \\W nor \\S"
        )
    return sign


def _plain(sign: str) -> str:
    """A character as the engine has it, whatever it means there."""
    code = ord(sign)
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - halves of pairs
        raise PatternRefused("has half of a surrogate pair, which no text has")
    return rf"\x{{{code:X}}}"
