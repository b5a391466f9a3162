"""Text that every part can keep, and types of text that people read.

PostgreSQL takes no U+0000, and UTF-8 has no halves of surrogate pairs: what arises with one is
mended where it arises; what arrives with one is refused. What people read shows all of itself:
nothing in it moves a terminal's cursor, turns the direction of writing or takes no room (Unicode
Technical Report 36, 2.10; Unicode 15's `Default_Ignorable_Code_Point`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, PydanticSerializationError, core_schema

AS_KEPT: Final[Mapping[str, bool]] = {"as_kept": True}
"""Context to validate stored documents in: what was taken once is read, whatever is taken today."""
REPLACEMENT = "\ufffd"
_CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f"
_UNSEEN = (
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e"
    "\\u2060-\\u206f\\u3164\\ufdd0-\\ufdef\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff"
)
"""Takes no room, or turns the direction of writing; and ends of lines."""
_BEYOND = "\\ud800-\\udfff\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e00ff"
ONE_LINE = f"^[^{_CONTROLS}{_UNSEEN}]*$"
"""As JSON Schema has it, which has no word for halves of surrogate pairs."""
PROSE = "^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$"
_NOT_IN_LINE = re.compile(f"[{_CONTROLS}{_UNSEEN}{_BEYOND}]")
_NOT_IN_PROSE = re.compile(
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)
_JOINERS = re.compile("[\\u00ad\\u200b-\\u200d\\u2060\\ufeff\\U000e0020-\\U000e007f]")
_BLANK = re.compile("[\\s\\u2800\\ufe00-\\ufe0f]*")
UNKEPT = re.compile("[\x00\ud800-\udfff]")

_BREAKS = re.compile("[ \\t-\\r\\x1c-\\x1e\\x85\\u2028\\u2029]+")
_FORMULA = re.compile(r"\s*[=+@＝＋－＠-]|[\t\r\n]")

Path = tuple[str | int, ...]
_Place = tuple["_Place | None", Any]


def csv_cell(text: str) -> str:
    """A text as a field of a CSV file: no spreadsheet takes it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def in_one_line(text: str) -> str:
    """A text in one line: what ends lines or sets columns is one space. Thin spaces stay thin."""
    return _BREAKS.sub(" ", text).strip()


def mended(text: str) -> str:
    """A text with U+FFFD in the place of what cannot be kept."""
    return UNKEPT.sub(REPLACEMENT, text)


def unkept(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Where a JSON value, keys included, has characters that cannot be kept, and which.

    :param value: strings, numbers, lists and mappings.
    :param path: of the value itself.
    :returns: pairs of a path and `U+XXXX`.
    """
    waiting: list[tuple[Any, _Place | None]] = [(value, None)]
    while waiting:
        found, place = waiting.pop()
        if isinstance(found, str):
            if sign := UNKEPT.search(found):
                yield (*path, *_path(place)), f"U+{ord(sign.group()):04X}"
        elif isinstance(found, dict):
            for key, each in reversed(found.items()):
                waiting += ((each, (place, key)), (key, (place, key)))
        elif isinstance(found, list | tuple):
            last = len(found) - 1
            waiting += ((each, (place, last - at)) for at, each in enumerate(reversed(found)))


def _path(place: _Place | None) -> Path:
    parts: list[str | int] = []
    while place is not None:
        place, part = place
        parts.append(part if isinstance(part, int) else mended(str(part)))
    return tuple(reversed(parts))


def numbered(campaign: int) -> str:
    """The number of a campaign, as it is written wherever it stands: `№ 12`.

    No `#`, which forges and chats turn into a link to something of their own.
    """
    return f"№ {campaign}"


def one_line(text: str) -> str:
    """A name, a title, a label as it is kept: trimmed, one spelling for what looks the same (NFC).

    :raises ValueError: naming the first character that does not show itself; or nothing is seen.
    """
    if found := _NOT_IN_LINE.search(text):
        message = f"has U+{ord(found.group()):04X}, which is not seen; write one visible line"
        raise ValueError(message)
    if text and _BLANK.fullmatch(text):
        message = "shows nothing; write one visible line"
        raise ValueError(message)
    return unicodedata.normalize("NFC", text)


def escaped(text: str) -> str:
    r"""A text as it may be printed on a terminal, or stand in JSON: what is not seen, or moves a
    cursor, is written out (`\u001b`); tabs and ends of lines stay.
    """
    return _NOT_IN_LINE.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    sign = found.group()
    if sign in "\n\t":
        return sign
    units = sign.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def without_joiners(text: str) -> str:
    """A text without what joins or parts letters unseen."""
    return _JOINERS.sub("", text)


def seen(text: str) -> str:
    """A text from elsewhere as one line of what is seen; empty when nothing is."""
    shown = " ".join(_NOT_IN_LINE.sub(" ", without_joiners(text)).split())
    return "" if _BLANK.fullmatch(shown) else shown


def prose(text: str) -> str:
    """A note or a description as it is kept; ends of lines are U+000A.

    :raises ValueError: naming the first character that is neither text, nor a tab, nor such an end.
    """
    text = text.replace("\r\n", "\n")
    if found := _NOT_IN_PROSE.search(text):
        message = f"has U+{ord(found.group()):04X}; text, tabs and ends of lines are what is taken"
        raise ValueError(message)
    return unicodedata.normalize("NFC", text)


def as_kept(info: ValidationInfo) -> bool:
    """Whether what is validated was stored, and is read as it is."""
    return isinstance(info.context, Mapping) and bool(info.context.get("as_kept"))


@dataclass(frozen=True)
class Named:
    """For `Annotated[str, Named(80)]`: a name, a title, a label."""

    most: int
    """Characters."""
    least: int = 1

    def __get_pydantic_core_schema__(
        self, source: type[str], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Trimmed, of bounded length, visible on one line."""
        return _checked(one_line, self.least, self.most)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The same, as far as JSON Schema can say it."""
        return {**handler(schema), "pattern": ONE_LINE}


@dataclass(frozen=True)
class Prose:
    """For `Annotated[str, Prose(2000)]`: a note, a description."""

    most: int
    """Characters."""
    least: int = 1
    trimmed: bool = True
    """Whether space around it is left out."""

    def __get_pydantic_core_schema__(
        self, source: type[str], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Of bounded length, with tabs and ends of lines alone besides what is seen."""
        return _checked(prose, self.least, self.most, trimmed=self.trimmed)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The same, as far as JSON Schema can say it."""
        return {**handler(schema), "pattern": PROSE}


def _checked(
    check: Callable[[str], str], least: int, most: int, *, trimmed: bool = True
) -> CoreSchema:
    def judge(
        value: Any, plain: core_schema.ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> str:
        if isinstance(value, str) and as_kept(info):
            return value
        return check(plain(value))

    return core_schema.with_info_wrap_validator_function(
        judge,
        core_schema.str_schema(strip_whitespace=trimmed, min_length=least, max_length=most),
    )


def mended_json(document: BaseModel) -> str:
    """A document as JSON, every text in it mended."""
    try:
        text = document.model_dump_json()
    except PydanticSerializationError:
        text = ""
    if text and "\\u0000" not in text:
        return text
    told = _mended(document.model_dump())
    return type(document).model_validate(told).model_dump_json()


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(each) for each in value]
    return value
