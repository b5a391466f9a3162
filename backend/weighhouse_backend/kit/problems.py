"""Errors as problem documents (RFC 9457): a class each, with a page of documentation each."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import structlog
from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match

log = structlog.get_logger(__name__)

METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
MOST_ERRORS = 50
"""How many faults of a request are told."""
MOST_CHARACTERS, MOST_DEPTH = 500, 50
"""Of what is told of one, as it may be the caller's own words."""
WORDS = re.compile(r"(?<!^)(?=[A-Z])")
"""Where a word begins within a class's name."""
_SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


class FieldProblem(BaseModel):
    """One thing wrong in a body."""

    path: str
    message: str
    expected: str | None = None


class ProblemDocument(BaseModel):
    """The body of every error."""

    type: str
    title: str
    status: int
    detail: str | None = None
    instance: str | None = None
    errors: list[FieldProblem] = []


class Problem(Exception):
    """Base of all errors a caller is told about; a subclass says what happened.

    A class says its `title`, its HTTP `status` where it is not its base's, and the `slug` of its
    page (`docs/problems/SLUG.md`) where that is not the class's name in small letters with hyphens.
    """

    status: ClassVar[int] = 400
    slug: ClassVar[str] = "bad-request"
    title: ClassVar[str] = "The request cannot be carried out"

    def __init_subclass__(
        cls, *, title: str | None = None, status: int | None = None, slug: str | None = None
    ) -> None:
        super().__init_subclass__()
        if title is not None:
            cls.title, cls.slug = title, slug or WORDS.sub("-", cls.__name__).lower()
        cls.status = status or cls.status

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: Sequence[FieldProblem] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        """:param detail: this occurrence in words, and how to mend it."""
        super().__init__(detail or self.title)
        self.detail = detail
        self.errors = list(errors)
        self.headers = headers or {}

    def document(self, instance: str | None = None) -> ProblemDocument:
        """The body to send."""
        return ProblemDocument(
            type=f"/docs/problems/{self.slug}",
            title=self.title,
            status=self.status,
            detail=self.detail,
            instance=instance,
            errors=self.errors,
        )


class NotFound(Problem, status=404, title="There is no such thing here"):
    """There is no such thing, or not for this caller."""


class Forbidden(Problem, status=403, title="Your role does not allow this"):
    """The caller's role does not allow it."""


class NotAuthenticated(Problem, status=401, title="Sign in, or send a valid token"):
    """Nobody is signed in, or the token is not valid."""


class NotAllowed(Problem, status=405, title="This address does not take this method"):
    """The address knows no such method."""


class Conflict(Problem, status=409, title="Not in this state"):
    """The state of things does not allow it now."""


class Invalid(Problem, status=422, title="The request is not valid"):
    """A body or parameter is wrong."""


class BadCursor(Invalid, title="The cursor is not one of ours"):
    """The cursor of a list is not one that was handed out."""


class BodyTooLarge(Problem, status=413, title="The request's body is too large"):
    """More was sent than is taken."""


class AddressTooLong(Problem, status=414, title="The request's address is too long"):
    """The query is longer than is taken."""


class Unavailable(Problem, status=503, title="Not available for the moment; try again"):
    """Something behind the API is away for now."""


class Unexpected(Problem, status=500, title="Something went wrong here; it was logged"):
    """A fault of ours."""


def answer_to(problem: Problem, request: Request, status: int | None = None) -> JSONResponse:
    """The answer that tells of a problem.

    :param status: where it is another one than of the problem's class.
    """
    document = problem.document(request.url.path)
    if status is not None:
        document = document.model_copy(update={"status": status})
    return JSONResponse(
        jsonable_encoder(document, exclude_none=True),
        status_code=document.status,
        media_type="application/problem+json",
        headers=problem.headers,
    )


def _field(error: Any) -> FieldProblem:
    """One validation error of Pydantic: where, what, and what would be right."""
    place = list(error["loc"])
    if len(place) > 1 and place[0] in {"body", "query", "path", "header", "cookie"}:
        place = place[1:]
    context = error.get("ctx") or {}
    expected = None
    if error["type"] == "json_invalid":
        at = place[-1] if place else None
        where = f" at character {at}" if isinstance(at, int) else f": {context.get('error')}"
        return FieldProblem(path="", message=f"is not JSON{where}", expected="a JSON object")
    if error["type"] == "extra_forbidden":
        message = f"unknown key {str(place[-1])[:MOST_CHARACTERS]!r}"
    elif error["type"] == "missing":
        message, expected = "is missing", f"a value for {str(place[-1])!r}"
    else:
        message = str(error["msg"]).removeprefix("Value error, ")
        bounds = [f"{_SIGNS[sign]} {context[sign]}" for sign in _SIGNS if sign in context]
        expected = " and ".join(bounds) or context.get("expected") or context.get("pattern")
    expected = expected and expected[:MOST_CHARACTERS]
    path = dotted(place[:MOST_DEPTH])[:MOST_CHARACTERS]
    return FieldProblem(path=path, message=message[:MOST_CHARACTERS], expected=expected)


def dotted(place: Sequence[int | str]) -> str:
    """A location as people write it: `targets[0].parameters.appendfsync`."""
    path = ""
    for part in place:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


_BY_STATUS: dict[int, type[Problem]] = {
    401: NotAuthenticated, 403: Forbidden, 404: NotFound, 405: NotAllowed, 409: Conflict,
    413: BodyTooLarge, 422: Invalid, 503: Unavailable,
}  # fmt: skip


def taken_methods(request: Request) -> set[str]:
    """All methods that an address takes; the router alone names those of its first operation."""
    exact: dict[str, set[str]] = getattr(request.app.state, "exact_methods", {})
    if (taken := exact.get(request.scope["path"])) is not None:
        return taken
    return {
        method
        for method in METHODS
        for route in request.app.routes
        if route.matches({**request.scope, "method": method})[0] is Match.FULL
    }


def install_problems(app: FastAPI) -> None:
    """Make every error of an app a problem document."""

    # None of these waits for a thread: it is where threads hang that errors are to be told.
    async def on_problem(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, Problem)  # noqa: S101 - registered for it
        return answer_to(error, request)

    async def on_validation(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        fields = [_field(one) for one in error.errors()[:MOST_ERRORS]]
        told = [f"{one.path or 'body'}: {one.message}" for one in fields[:3]]
        if (more := len(error.errors()) - len(told)) > 0:
            told.append(f"and {more:,} more")
        detail = "; ".join(told)
        return answer_to(Invalid(detail, errors=fields), request)

    async def on_http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101
        kind = _BY_STATUS.get(error.status_code, Problem)
        headers = dict(error.headers or {})
        if error.status_code == NotAllowed.status:
            headers["Allow"] = ", ".join(sorted(taken_methods(request)))
        return answer_to(kind(str(error.detail), headers=headers), request, error.status_code)

    async def on_data(request: Request, error: Exception) -> JSONResponse:
        # Numbers beyond what is stored, text that is none: it is the caller's, wherever it stood.
        assert isinstance(error, DataError)  # noqa: S101 - registered for it
        log.warning("data_refused", path=request.url.path, error=str(error.orig))
        said = str(error.orig).splitlines()[0]
        return answer_to(Invalid(f"the database cannot keep this: {said}"), request)

    async def on_anything(request: Request, error: Exception) -> JSONResponse:
        log.error("unhandled", path=request.url.path, exc_info=error)
        # Who reports it needs the id under which it was logged.
        known = structlog.contextvars.get_contextvars().get("request_id")
        # The server hangs up after an error; who is not told asks again in vain.
        headers = {"Connection": "close"} | ({"X-Request-Id": str(known)} if known else {})
        return answer_to(Unexpected(headers=headers), request)

    app.add_exception_handler(Problem, on_problem)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(DataError, on_data)
    app.add_exception_handler(Exception, on_anything)
