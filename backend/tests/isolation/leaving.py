"""Operations by which something leaves a project, for the test of isolation."""

from collections.abc import Mapping

from backend.tests.isolation.rules import (
    COMPARED,
    EMPTY,
    EXPORT,
    NOTES,
    PEOPLE,
    PUBLISH,
    READ,
    SOURCES,
    WATCH,
    Rule,
    in_body,
    mine,
    named,
    of_project,
)
from backend.tests.sources.published import study

GONE = frozenset({404})
"""Nothing of it is public."""

REPORT = {"title": "T", "text": "", "sources": [], "audience": "internal"}

OF_EXPERIMENT = {"experiment_id": "{experiment_id}"}

LEAVING: Mapping[str, Rule] = {
    "bundles_add_reproduction": named(NOTES, "member"),
    "bundles_list_keys": mine(READ),
    "bundles_list_reproductions": named(READ),
    "bundles_read_campaign": named(EXPORT),
    "bundles_remove_reproduction": named(NOTES, "maintainer"),
    "exports_list_agents": of_project(EXPORT, shared=True),
    "exports_list_annotations": mine(EXPORT),
    "exports_list_channels": of_project(WATCH, "maintainer"),
    "exports_list_domains": of_project(PEOPLE, "owner"),
    "exports_list_occurrences": named(EXPORT, query=OF_EXPERIMENT),
    "exports_list_revisions": named(EXPORT, query=OF_EXPERIMENT),
    "exports_list_trusts": of_project(PEOPLE, "maintainer"),
    "exports_list_alerts": of_project(EXPORT, others=EMPTY),
    "exports_list_campaigns": of_project(EXPORT),
    "exports_list_experiments": of_project(EXPORT),
    "exports_list_invitations": of_project(PEOPLE, "owner"),
    "exports_list_members": of_project(EXPORT),
    "exports_list_published_sources": of_project(EXPORT),
    "exports_list_reports": of_project(EXPORT),
    "exports_list_runs": named(EXPORT, query={"campaign_id": "{campaign_id}"}),
    "exports_list_series": mine(EXPORT),
    "exports_list_shares": of_project(EXPORT),
    "exports_list_studies": of_project(EXPORT),
    "exports_list_systems": of_project(EXPORT),
    "exports_list_tokens": of_project(PEOPLE, "maintainer"),  # people see their own: not a token
    "exports_read_campaign": named(EXPORT),
    "exports_read_comparison": named(EXPORT, query=COMPARED),
    "exports_read_metrics": mine(READ),
    "exports_read_run": named(EXPORT),
    "exports_read_series": named(EXPORT),
    "publishing_answer_challenge": named(PUBLISH, "member", body={"answer": "It is not so."}),
    "publishing_challenge": named(PUBLISH, body={"text": "I doubt these figures very much."}),
    "publishing_decide_challenge": named(
        PUBLISH, "maintainer", body={"state": "upheld", "reason": "{reason}"}
    ),
    "publishing_end_override": named(PUBLISH, "owner"),
    "publishing_invite_reply": named(
        PUBLISH, "maintainer", gives=True,
        body={"system_id": "redis", "for_whom": "val@vendor.test"},
    ),
    "publishing_override": named(
        PUBLISH, "owner",
        body={"system_id": "memcached", "audience": "public", "reason": "{reason}"},
    ),
    "publishing_read_disclosure": named(EXPORT),
    "publishing_record_consent": named(PUBLISH, "maintainer", body={
        "system_id": "redis", "given_by": "Val", "covers": "everything",
        "given_on": "2026-11-20", "document_url": "https://example.test/consent",
    }),
    "publishing_revoke_link": named(PUBLISH, "maintainer"),
    "publishing_withdraw_challenge": named(PUBLISH, "author"),
    "publishing_withdraw_consent": named(PUBLISH, "maintainer"),
    "publishing_withdraw_reply": named(PUBLISH, "maintainer", body={"reason": "{reason}"}),
    "reports_create": in_body(
        NOTES, "member",
        body={"title": "T", "sources": [{"name": "c", "campaign_id": "{campaign_id}"}]},
    ),
    "reports_draft": named(READ, body=REPORT),
    "reports_freeze": named(NOTES, "member"),
    "reports_list": mine(READ),
    "reports_read": named(READ),
    "reports_read_edition": named(READ),
    "reports_read_file": named(EXPORT, query={"form": "html"}),
    "reports_read_revision": named(READ),
    "reports_remove": named(NOTES, "maintainer"),
    "reports_save": named(NOTES, "member", body=REPORT),
    # By links, and what is public
    "sharing_list": of_project(READ),
    "sharing_read_answer": Rule("vendor"),
    "sharing_read_badge": Rule("public", viewer=GONE),
    "sharing_read_comparison": Rule("vendor"),
    "sharing_read_embed": Rule("public", viewer=GONE),
    "sharing_read_front_page": Rule("public", viewer=GONE),
    "sharing_read_picture": Rule("public", viewer=GONE),
    "sharing_read_public_page": Rule("public", viewer=GONE),
    "sharing_read_report": Rule("vendor"),
    "sharing_read_scaling": Rule("vendor"),
    "sharing_read_series": Rule("vendor"),
    "sharing_read_shared": Rule("vendor"),
    "sharing_revoke": named(PUBLISH, "member"),
    "sharing_share": named(
        PUBLISH, "member", gives=True,
        body={"campaign_id": "{campaign_id}", "title": "T", "visibility": "organization"},
    ),
    # What others published
    "sources_correct": named(
        SOURCES, "member", query={"because": "a slip"}, body=study(title="Corrected"),
    ),
    "sources_keep": of_project(SOURCES, "member", body=study(title="Anew")),
    "sources_list": of_project(READ),
    "sources_preview": mine(READ),
    "sources_read": named(READ),
    "sources_read_document": named(EXPORT),
    "sources_read_figures": mine(READ, body={"figures": []}),
    "sources_remove": named(SOURCES, "maintainer"),
    "sharing_unlock": Rule("vendor", body={"password": "a guess"}),
}  # fmt: skip
