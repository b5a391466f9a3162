"""The API's description of itself: names, tags, how one signs in, how one is refused."""

from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from starlette.types import Lifespan
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.directories.schemas import ScimError
from weighhouse_backend.directories.service import PATH as SCIM_PATH
from weighhouse_backend.directories.service import SCIM_MEDIA_TYPE
from weighhouse_backend.identity.cookie_names import HOST, SESSION
from weighhouse_backend.identity.scopes import TAKES
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.kit.queries import refuse_repeated, refuse_unknown
from weighhouse_backend.kit.text import refuse_unkept

WORDS = """
Everything that the interface does. Browsers sign in with a cookie and send `X-Weighhouse: 1` with
changes; pipelines send `Authorization: Bearer TOKEN`. Lists take `limit` and `cursor`. Creating
calls take an `Idempotency-Key` where they say so. Errors are problem documents (RFC 9457), whose
`type` is a page that says how to mend them.
"""
TAGS = {
    "sessions": "Signing in and out, joining, one's own password and second factor.",
    "projects": "Organizations and projects, and what was done in them.",
    "people": "Members, their roles, invitations.",
    "tokens": "API tokens of pipelines.",
    "systems": "What can be weighed, as the agents' plugins describe it.",
    "experiments": "Definitions, their revisions and schedules.",
    "campaigns": "Executions of an experiment.",
    "runs": "Measured repetitions, with everything that was recorded.",
    "comparisons": "Sides next to each other, with what differs.",
    "exports": "Lists, comparisons, runs and series as files, disclaimers included.",
    "reports": "Texts with live references to what was measured, and editions of them.",
    "bundles": "Campaigns as signed files that anybody can check, and who measured them again.",
    "prices": "What machines and licences cost an organization.",
    "provisions": "Machines that are made for campaigns.",
    "retention": "How long what was measured is kept; campaigns that are kept, or deleted.",
    "quotas": "What organizations and projects may use, and what they do.",
    "published sources": "What others published, kept with who measured it.",
    "studies": "Published studies, and what holds of them here.",
    "publishing": "What is disclosed, what may be published, and what vendors and others say.",
    "sharing": "What is shown to people without an account, and to pages elsewhere.",
    "search": "What people wrote and measured, systems and help, found by its words.",
    "series": "The same cell over time.",
    "annotations": "What people note beside runs, series and their points.",
    "alerts": "What shifted or did not take place, and what people say of it.",
    "notices": "What people and channels are told of, and whether it arrived.",
    "directory": "SCIM 2.0: an organization's directory takes people out. With a token of its own.",
    "agents": "Registered machines.",
    "agent protocol": "What agents call, with tokens of their own.",
    "status": "Whether the platform is well.",
}
SECURITY = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token, `whp_…`, without scopes or with the one that is named.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": SESSION,
        "description": f"Where the platform is reached over HTTPS it is `{HOST}{SESSION}`.",
    },
    "agent": {"type": "http", "scheme": "bearer", "description": "An agent's or attempt's token."},
    "directory": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of an organization's directory, `whc_…`.",
    },
    "link": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a signed link: a vendor's `whv_…`, an invitation's `whi_…`, "
        "of what is shared `whl_…`.",
    },
}
OPEN = frozenset(
    {
        "identity_log_in", "identity_log_in_by_passkey", "identity_ask_for_passkey",
        "identity_ask_password_reset", "identity_ask_to_join",
        "identity_list_ways_in",
        "identity_begin_sign_in", "identity_end_by_provider",
        "identity_end_sign_in", "identity_exchange_pipeline_token",
        "status_health", "status_live",
        "sharing_read_badge", "sharing_read_embed", "sharing_read_front_page",
        "sharing_read_picture", "sharing_read_public_page",
        "status_ready", "status_about",
    }
)  # fmt: skip
BY_LINK = frozenset(
    {
        "/api/v1/reply", "/api/v1/invitation", "/api/v1/password-reset", "/api/v1/joining-domain",
        "/api/v1/shared", "/api/v1/shared/password", "/api/v1/shared/comparison",
        "/api/v1/shared/answer", "/api/v1/shared/scaling", "/api/v1/shared/series",
        "/api/v1/shared/report",
    }
)  # fmt: skip
SHOWN = {"image/svg+xml", "text/html"}
"""As pages and pictures are answered, so they are refused: nobody reads a problem in them."""
PROBLEM = "application/problem+json"
KEPT = "^[^\\u0000]*$"
"""Of every text in a request that nothing else is said of."""
SAYS_MORE = frozenset({"pattern", "format", "enum", "const"})
VALUES = frozenset({"default", "example", "examples", "enum", "const"})
"""What is no schema."""


def operation_id(route: APIRoute) -> str:
    """The name of the endpoint's function, `feature_function`; generated clients read well."""
    return route.name


class Application(FastAPI):
    """FastAPI whose document says how one signs in, that errors are problem documents, and under
    `x-figures` how figures are named.
    """

    def __init__(self, lifespan: Lifespan["Application"]) -> None:
        """:param lifespan: begins and ends what the application holds."""
        super().__init__(
            title="Weighhouse",
            description=WORDS,
            version=version("weighhouse-backend"),
            openapi_url=None,  # `described` serves it
            openapi_tags=[{"name": name, "description": words} for name, words in TAGS.items()],
            docs_url=None,  # Swagger UI comes from elsewhere; `reference` shows the same from here
            redoc_url=None,
            lifespan=lifespan,
            dependencies=[
                Depends(refuse_unkept),
                Depends(refuse_unknown),
                Depends(refuse_repeated),
            ],
            generate_unique_id_function=operation_id,
            responses={
                "4XX": {
                    "model": ProblemDocument,
                    "description": "Refused; the problem document says why and how to mend it.",
                }
            },
        )

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document; made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            document["components"]["securitySchemes"] = SECURITY
            document["x-figures"] = [
                {**asdict(figure), "is_latency": figure.is_latency} for figure in CATALOGUE
            ]
            for path, methods in document["paths"].items():
                for operation in methods.values():
                    _complete(path, operation)
                    _say_what_is_kept(operation, document)
        return super().openapi()


def _complete(path: str, operation: dict[str, Any]) -> None:
    of_directory = path.startswith(SCIM_PATH)
    for status, answer in operation["responses"].items():
        if not status.startswith("2"):
            (model,) = answer["content"].values()
            answer["content"] = {PROBLEM: model}
            for drawn in SHOWN & operation["responses"].get("200", {}).get("content", {}).keys():
                answer["content"][drawn] = {"schema": {"type": "string"}}
            if of_directory:  # what is refused before SCIM is asked is refused as elsewhere
                answer["content"][SCIM_MEDIA_TYPE] = {"schema": ScimError.model_json_schema()}
    if of_directory:
        operation["security"] = [{"directory": []}]
    elif path.startswith("/agent/"):
        operation["security"] = [{"agent": []}]
    elif path in BY_LINK:
        operation["security"] = [{"link": []}]
    elif operation["operationId"] not in OPEN:
        operation["security"] = _of_people(operation["operationId"])


def _of_people(operation_id: str) -> list[dict[str, list[str]]]:
    """:raises LookupError: when an operation names no scope."""
    if operation_id not in TAKES:
        raise LookupError(f"{operation_id} takes which scope? Say so in identity/scopes.py")
    scope = TAKES[operation_id]
    return [*([] if scope is None else [{"token": [str(scope)]}]), {"session": []}]


def _say_what_is_kept(operation: dict[str, Any], document: dict[str, Any]) -> None:
    """Say of every text in a request what `refuse_unkept` holds it against; JSON Schema has no word
    for the other rule, halves of surrogate pairs.
    """
    waiting: list[Any] = [*operation.get("parameters", ()), operation.get("requestBody", {})]
    seen: set[str] = set()
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting.extend(found)
        if not isinstance(found, dict):
            continue
        if found.get("type") == "string" and not SAYS_MORE & found.keys():
            found["pattern"] = KEPT
        reference = found.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            waiting.append(document["components"]["schemas"][reference.rsplit("/", 1)[-1]])
        waiting.extend(value for key, value in found.items() if key not in VALUES)
