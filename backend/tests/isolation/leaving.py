"""Operations by which something leaves a project, for the test of isolation."""

from collections.abc import Mapping

from backend.tests.isolation.rules import EXPORT, PUBLISH, READ, Rule, named, of_project

GONE = frozenset({404})
"""Nothing of it is public."""

LEAVING: Mapping[str, Rule] = {
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
    # By links, and what is public
    "sharing_list": of_project(READ),
    "sharing_read_answer": Rule("vendor"),
    "sharing_read_badge": Rule("public", viewer=GONE),
    "sharing_read_comparison": Rule("vendor"),
    "sharing_read_embed": Rule("public", viewer=GONE),
    "sharing_read_front_page": Rule("public", viewer=GONE),
    "sharing_read_picture": Rule("public", viewer=GONE),
    "sharing_read_public_page": Rule("public", viewer=GONE),
    "sharing_read_scaling": Rule("vendor"),
    "sharing_read_series": Rule("vendor"),
    "sharing_read_shared": Rule("vendor"),
    "sharing_revoke": named(PUBLISH, "member"),
    "sharing_share": named(
        PUBLISH, "member", gives=True,
        body={"campaign_id": "{campaign_id}", "title": "T", "visibility": "organization"},
    ),
    "sharing_unlock": Rule("vendor", body={"password": "a guess"}),
}  # fmt: skip
