"""Addresses of pages that people follow: of http or https, and nothing that looks like another.

By RFC 3986, and the WHATWG's URL standard in what browsers make of the rest: a tab, a backslash or
a second `@` lets one address be read as two.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from weighhouse_protocol.text import Named, as_kept, one_line

WEB = frozenset({"http", "https"})
PAGE = r"^[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9.\[][^\s\\@]*$"
"""As JSON Schema has it, roughly."""
LONGEST_HOST, LONGEST_LABEL = 253, 63
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:|//)(?=\S)")
NUMBERS = re.compile(r"(0[xX][0-9A-Fa-f]*|[0-9]+)(\.(0[xX][0-9A-Fa-f]*|[0-9]+))*\.?")
"""Hosts that inet_aton(3) reads as an address."""
_LABELS = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", re.ASCII)
_AS_IT_IS = "%/:?#[]@!$&'()*+,;=-._~"
"""What stands in an address as itself (RFC 3986, 2.2 and 2.3)."""


def host_of(parts: SplitResult) -> str:
    """Host and port of an address, in small letters and ASCII, without a user.

    :raises ValueError: when it names no host that could be asked, or port 0.
    """
    if parts.port == 0:
        message = "names port 0"
        raise ValueError(message)
    host = _written(parts.hostname or "")
    return host if parts.port is None else f"{host}:{parts.port}"


def page_address(text: str) -> str:
    """The address of a page as it is kept: in ASCII, scheme and host in small letters.

    :raises ValueError: when it is none of http or https, or holds a user or a password.
    """
    text = one_line(text.strip())
    if re.search(r"[\s\\]", text):
        message = "holds a space or a backslash"
        raise ValueError(message)
    parts = urlsplit(text)
    if parts.scheme.lower() not in WEB or not parts.hostname:
        message = "is no address of a page, e.g. 'https://example.com/page'"
        raise ValueError(message)
    if "@" in parts.netloc:
        message = "holds a user or a password"
        raise ValueError(message)
    rest = (quote(each, safe=_AS_IT_IS) for each in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme.lower(), host_of(parts), *rest))


def _written(host: str) -> str:
    if ":" in host:
        if "%" in host:
            message = "names a zone, which is one machine's own"
            raise ValueError(message)
        return f"[{ipaddress.IPv6Address(host)}]"
    try:
        host = host.encode("idna").decode().lower()
    except UnicodeError as error:
        message = "names no host: a part of it is empty or too long"
        raise ValueError(message) from error
    if NUMBERS.fullmatch(host):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError as error:
            message = "has an address that is not written as four decimal numbers"
            raise ValueError(message) from error
    if len(host) > LONGEST_HOST or not _LABELS.fullmatch(host):
        message = "names no host"
        raise ValueError(message)
    return host


@dataclass(frozen=True)
class Link:
    """For `Annotated[str, Link()]`: an address that a page may show as a link."""

    most: int = 500
    """Characters."""
    least: int = 1

    def __get_pydantic_core_schema__(
        self, source: type[str], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """What `page_address` takes; what was stored before stays as it is."""

        def judge(
            value: Any, plain: core_schema.ValidatorFunctionWrapHandler, info: ValidationInfo
        ) -> str:
            if isinstance(value, str) and as_kept(info):
                return value
            text = plain(value)
            found = page_address(text) if text else text
            if len(found) > self.most:
                message = f"has more than {self.most} characters when it is written in ASCII"
                raise ValueError(message)
            return found

        return core_schema.with_info_wrap_validator_function(
            judge,
            core_schema.str_schema(
                strip_whitespace=True, min_length=self.least, max_length=self.most
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The same, as far as JSON Schema can say it."""
        return {**handler(schema), "pattern": PAGE if self.least else f"^$|{PAGE}"}


@dataclass(frozen=True)
class Source:
    """For `Annotated[str, Source()]`: whose page says so, or a line that says where it is from."""

    most: int = 500
    """Characters."""

    def __get_pydantic_core_schema__(
        self, source: type[str], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """A visible line, which is a page's address where it begins as an address does."""

        def judge(text: str, info: ValidationInfo) -> str:
            return page_address(text) if _SCHEME.match(text) and not as_kept(info) else text

        return core_schema.with_info_after_validator_function(
            judge, handler.generate_schema(Annotated[str, Named(self.most)])
        )
