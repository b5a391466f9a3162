"""What people read was held against one of the types of such text, whichever operation took it."""

from collections.abc import Iterator
from typing import Any

from weighhouse_backend.app.description import KEPT

from backend.tests.described import described

JUDGED_ELSEWHERE = {
    "AlertUpdate.assignee": "an id",
    "CampaignCreate.experiment": "looked up",
    "RejudgementCreate.experiment": "looked up",
    "StudyRunWanted.sides": "looked up",
    "QuestionWrite.cell": "looked up where it is shown",
    "QuestionWrite.side": "looked up",
    "QuestionWrite.published": "looked up",
    "FigureTyped.figure": "looked up",
    "FigureTyped.printed": "by a grammar",
    "SourceWrite.study": "looked up",
    "ChannelCreate.address": "by its kind: notices.channels",
    "ChannelUpdate.address": "by its kind: notices.channels",
    "DocumentSource.yaml": "as an experiment",
    "ExperimentCreate.yaml": "as an experiment",
    "ConfigurationFile.file": "looked up",
    "ConfigurationFile.system": "looked up",
    "ConfigurationFile.text": "by a grammar",
    "PreferencesWrite.time_zone": "one of a list",
    "SchedulePreviewRequest.cron": "by a grammar",
    "SchedulePreviewRequest.time_zone": "one of a list",
    "ScheduleWrite.cron": "by a grammar",
    "ScheduleWrite.time_zone": "one of a list",
    "PropertyFile.file": "made a name",
    "PropertyFile.leave_out": "compared",
    "PropertyFile.systems": "looked up",
    "PropertyFile.text": "by a grammar",
    "GitContext.branch": "by one_line",
    "GitContext.default_branch": "by one_line",
    "GitContext.commit": "by a pattern",
    "GitContext.merge_base": "by a pattern",
    "KnownCommit.commit": "by a pattern",
    "KnownCommit.parents": "by a pattern",
    "GitContext.subject": "by one_line",
    "GitContext.repository": "by repository_address",
    "GitContext.pull_request_url": "by bare_page",
    "ProviderSave.issuer": "by insist_on_safe",
    "SignInAnswer.iss": "compared",
    "SignInAnswer.error": "compared",
}
"""Texts in bodies of people's requests that a rule of their own judges, and which."""
SECRETS = {
    "code", "current", "password", "client_secret", "token", "state", "logout_token", "email",
}  # fmt: skip
"""Compared with what is kept, and never shown."""


def texts(schema: Any, where: str, seen: frozenset[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each text of a schema by model and field."""
    if isinstance(schema, list):
        for each in schema:
            yield from texts(each, where, seen)
    if not isinstance(schema, dict):
        return
    if name := schema.get("$ref", "").rsplit("/", 1)[-1]:
        if name not in seen:
            yield from texts(described()["components"]["schemas"][name], name, seen | {name})
        return
    if schema.get("type") == "string":
        yield where, schema
    for name, each in schema.get("properties", {}).items():
        yield from texts(each, f"{where.partition('.')[0]}.{name}", seen)
    for key in ("anyOf", "oneOf", "allOf", "items", "prefixItems", "additionalProperties"):
        yield from texts(schema.get(key), where, seen)


def bodies() -> Iterator[tuple[str, Any]]:
    for path, methods in described()["paths"].items():
        for operation in methods.values():
            if path.startswith("/api/v1/") and "requestBody" in operation:
                for content in operation["requestBody"]["content"].values():
                    yield operation["operationId"], content["schema"]


def test_each_text_that_people_send_is_a_name_a_note_a_link_or_judged_by_its_own_rule() -> None:
    found = {
        where
        for operation, schema in bodies()
        for where, text in texts(schema, operation, frozenset())
        if text.get("pattern") == KEPT and where.partition(".")[2] not in SECRETS
    }
    assert found - JUDGED_ELSEWHERE.keys() == set()


def test_each_of_them_has_an_end() -> None:
    endless = {
        where
        for operation, schema in bodies()
        for where, text in texts(schema, operation, frozenset())
        if text.get("pattern") == KEPT
        and "maxLength" not in text
        and where != "identity_end_by_provider.logout_token"  # the body is bounded as a whole
    }
    assert endless == set()
