"""What each operation of the API is, for the test of isolation; in braces what it is asked for."""

from collections.abc import Mapping
from typing import Any

from backend.tests.isolation.rules import (
    AUDIT,
    ENROL,
    EXPORT,
    FINE,
    MACHINES,
    NOTES,
    PEOPLE,
    PRICES,
    PUBLISH,
    READ,
    RUN,
    SIGNED_IN,
    WATCH,
    WRITE,
    Rule,
    agent,
    directory,
    in_body,
    mine,
    named,
    of_project,
)  # fmt: skip

LEFT = {
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "q@quokka.test",
    "active": False,
}  # fmt: skip
SIDE = "{campaign_id}~free"
CELL = {"workload": "balanced", "load_level": "4 clients"}
COMPARED = {"campaign": "{campaign_id}"}
NIGHTLY = {"cron": "30 3 * * *", "time_zone": "UTC"}
DOCUMENT, FILE = {"document": "{document}"}, {"file": "a", "text": ""}
SAID = {"name": "Val", "role": "CTO", "text": "It was otherwise."}
RULE: dict[str, Any] = {}
REFUSED = frozenset({422})
ASKED_FOR = {"others": REFUSED, "viewer": REFUSED}
"""The present password is asked for, whoever one is."""
EMPTY = FINE
"""A list of nothing: that no mark is in it is looked at with every answer."""
NONE_BEGUN = NOTHING_SEARCHED = NOTHING_MADE = frozenset({404})
"""No second factor, search or machine was begun: nobody finds anything there."""

RULES: Mapping[str, Rule] = {
    "status_about": Rule("public"),
    "status_health": Rule("public"),
    "status_live": Rule("public"),
    "status_ready": Rule("public"),
    "identity_exchange_pipeline_token": Rule("public", body={"trust_id": "{any}", "token": "t"}),
    "identity_log_in": Rule("public", body={"email": "nobody@quokka.test", "password": "w"}),
    # Machines
    "campaigns_arrive": agent({"fence": 1, "sent_at_us": 1, "wait_seconds": 0}),
    "campaigns_beat_attempt": agent({"fence": 1, "phase": "measure"}),
    "campaigns_claim": agent({"claim_id": "{any}", "process_id": "{any}", "wait_seconds": 0}),
    "campaigns_complete_attempt": agent({"fence": 1, "outcome": "completed", "events_count": 0}),
    "campaigns_get_attempt": agent(),
    "campaigns_give_sign": agent(),
    "campaigns_start_attempt": agent({"fence": 1}),
    "fleet_open_session": agent({
        "instance_id": "{any}", "process_id": "{any}", "agent_version": "0", "manifests": [],
        "facts": "{facts}", "policy": {},
    }),
    "fleet_read_update": agent(),
    "fleet_report_update": agent({"update_id": "{any}", "state": "failed"}),
    "fleet_register": agent({"name": "quokka", "instance_id": "{any}", "facts": "{facts}"}),
    "results_append_log": agent(query={"offset": 0}),
    "results_has_artifact": agent(),
    "results_put_artifact": agent(),
    "results_store_events": agent({"events": []}),
    # Directories
    "directories_add_account": directory(LEFT),
    "directories_change_account": directory({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        "Operations": [{"op": "replace", "path": "active", "value": False}],
    }),
    "directories_find_accounts": directory(),
    "directories_list_kinds": directory(),
    "directories_list_schemas": directory(),
    "directories_read_abilities": directory(),
    "directories_read_account": directory(),
    "directories_read_kind": directory(),
    "directories_read_schema": directory(),
    "directories_remove_account": directory(),
    "directories_replace_account": directory(LEFT),
    # Vendors
    "publishing_read_reply_page": Rule("vendor"),
    "publishing_reply": Rule("vendor", body=SAID),
    # People and access
    "directories_let_in": of_project(PEOPLE, "owner", by_person=True),
    "directories_read": of_project(PEOPLE, "owner", by_person=True),
    "directories_shut_out": of_project(PEOPLE, "owner", by_person=True),
    "identity_change_member": of_project(PEOPLE, "owner", body={"role": "viewer"}),
    "identity_end_project_role": named(PEOPLE, "owner"),
    "identity_invite": of_project(
        PEOPLE, "owner", gives=True, by_person=True, body={"email": "q@quokka.test"}
    ),
    "identity_export_audit_entries": of_project(AUDIT, "maintainer"),
    "identity_list_audit_entries": of_project(AUDIT, "maintainer"),
    "identity_list_invitations": of_project(PEOPLE, "owner"),
    "identity_list_members": of_project(READ),
    "identity_list_projects": mine(READ),
    "identity_list_tokens": of_project(PEOPLE, "maintainer"),  # people see their own: not a token
    "identity_log_out": mine(SIGNED_IN, by_person=True),
    "identity_rename_project": named(PEOPLE, "owner", body={"name": "Renamed"}),
    "identity_archive_project": named(PEOPLE, "owner"),
    "identity_restore_project": named(PEOPLE, "owner"),
    "identity_make_project": named(
        PEOPLE, "owner", by_person=True,
        body={"slug": "taken", "name": "Taken", "organization_id": "{organization_id}"},
    ),
    "identity_make_token": in_body(
        PEOPLE, "maintainer", gives=True, body={"name": "t", "role": "viewer"}
    ),
    "identity_remove_member": of_project(PEOPLE, "owner"),
    "identity_reset_second_factor": of_project(SIGNED_IN, "owner", by_person=True),
    "identity_read_factor_policy": of_project(SIGNED_IN, "owner", by_person=True),
    "identity_set_factor_policy": of_project(
        SIGNED_IN, "owner", by_person=True, body={"required": False}
    ),
    "identity_revoke_invitation": named(PEOPLE, "owner", viewer=frozenset({404})),
    "identity_revoke_token": named(PEOPLE, "maintainer"),
    "identity_rotate_token": named(PEOPLE, "maintainer", gives=True, body={}),
    "identity_set_project_role": named(PEOPLE, "owner", gives=True, body={"role": "viewer"}),
    "identity_who_am_i": mine(SIGNED_IN, by_person=True),
    # Joining by one's address
    "identity_list_domains": of_project(PEOPLE, "owner"),
    "identity_add_domain": of_project(PEOPLE, "owner", gives=True, body={"domain": "quokka.test"}),
    "identity_remove_domain": named(PEOPLE, "owner", viewer=frozenset({404})),
    "identity_open_domain": Rule("vendor"),
    "identity_confirm_domain": Rule("vendor"),
    "identity_ask_to_join": Rule("public", body={"email": "nobody@quokka.test"}),
    # Pipelines that are trusted
    "identity_list_trusts": of_project(PEOPLE, "maintainer"),
    "identity_make_trust": in_body(PEOPLE, "maintainer", gives=True, body={
        "name": "t", "issuer": "https://ci.quokka.test", "conditions": {"repository": "a/b"},
        "scopes": ["results:read"],
    }),
    "identity_remove_trust": named(PEOPLE, "maintainer"),
    # Providers: a person who owns the organization
    "identity_read_provider": of_project(PEOPLE, "owner", by_person=True),
    "identity_remove_provider": of_project(PEOPLE, "owner", by_person=True),
    "identity_save_provider": of_project(
        PEOPLE, "owner", gives=True, by_person=True,
        body={"name": "P", "issuer": "https://id.quokka.test", "client_id": "c"},
    ),
    # ... and who comes from one: what nobody began is not there
    "identity_begin_sign_in": Rule("vendor", body={"organization": "nobody"}),
    "identity_end_sign_in": Rule("vendor", body={"state": "none", "code": "none"}),
    "identity_list_ways_in": Rule("public"),
    "identity_end_by_provider": Rule("vendor"),
    # One's own account
    "identity_ask_password_reset": Rule("public", body={"email": "nobody@quokka.test"}),
    "identity_change_password": mine(
        SIGNED_IN, by_person=True, body={"current": "w", "password": "w"}, **ASKED_FOR
    ),
    "identity_end_login": named(SIGNED_IN, by_person=True, viewer=frozenset({404})),
    "identity_end_other_logins": mine(SIGNED_IN, by_person=True),
    "identity_list_logins": mine(SIGNED_IN, by_person=True),
    "identity_make_organization": mine(
        SIGNED_IN, "owner", by_person=True, body={"slug": "another", "name": "Another"},
        others=FINE | {409},
    ),
    "identity_begin_second_factor": mine(
        SIGNED_IN, by_person=True, body={"current": "w"}, **ASKED_FOR
    ),
    "identity_log_in_by_passkey": Rule("public", body={"answer": {}}, viewer=REFUSED),
    "identity_ask_for_passkey": Rule("public"),
    "identity_begin_passkey": mine(
        SIGNED_IN, by_person=True, body={"current": "w"}, **ASKED_FOR
    ),
    "identity_add_passkey": mine(
        SIGNED_IN, by_person=True, body={"name": "p", "answer": {}}, **ASKED_FOR
    ),
    "identity_remove_passkey": named(
        SIGNED_IN, by_person=True, body={"current": "w"}, **ASKED_FOR
    ),
    "identity_confirm_second_factor": mine(
        SIGNED_IN, by_person=True, body={"code": "1"}, others=NONE_BEGUN, viewer=NONE_BEGUN
    ),
    "identity_read_second_factor": mine(SIGNED_IN, by_person=True),
    "identity_remove_second_factor": mine(
        SIGNED_IN, by_person=True, body={"current": "w", "code": "1"}, **ASKED_FOR
    ),
    "identity_renew_recovery_codes": mine(
        SIGNED_IN, by_person=True, body={"current": "w", "code": "1"}, **ASKED_FOR
    ),
    # Who came by a link
    "identity_accept_invitation": Rule("vendor", body={"name": "Q", "password": "w"}),
    "identity_open_invitation": Rule("vendor"),
    "identity_open_password_reset": Rule("vendor"),
    "identity_reset_password": Rule("vendor", body={"password": "w"}),
    # Machines of projects
    "fleet_change_agent": named(MACHINES, "maintainer", body={"labels": {"a": "b"}}),
    "fleet_drain_agent": named(MACHINES, "maintainer"),
    "fleet_get_agent": named(READ, shared=True),
    "fleet_list_agents": of_project(READ, shared=True),
    "fleet_make_registration_token": in_body(ENROL, "maintainer", body={}),
    "fleet_revoke_agent": named(MACHINES, "maintainer"),
    "fleet_undrain_agent": named(MACHINES, "maintainer"),
    "fleet_update_agent": named(MACHINES, "maintainer"),
    # Definitions
    "catalog_decide_manifest": in_body(
        MACHINES, "maintainer", body={"plugin_id": "free", "accepted": True}
    ),
    "catalog_list_manifests": of_project(READ),
    "catalog_list_systems": of_project(READ),
    "catalog_read_system": of_project(READ),
    "experiments_add_revision": of_project(WRITE, "member", body=DOCUMENT),
    "experiments_create": in_body(WRITE, "member", body=DOCUMENT, query={"upsert": True}),
    "experiments_delete_schedule": of_project(WRITE, "member"),
    "experiments_diff": of_project(READ),
    "experiments_fairness": of_project(READ, body=DOCUMENT),
    "experiments_get": of_project(READ),
    "experiments_get_revision": of_project(READ),
    "experiments_get_revision_yaml": of_project(READ),
    "experiments_get_schedule": of_project(READ),
    "experiments_list": of_project(READ),
    "experiments_list_occurrences": of_project(READ),
    "experiments_list_revisions": of_project(READ),
    "experiments_list_templates": mine(READ),
    "experiments_preview_schedule": mine(READ, body=NIGHTLY),
    "experiments_put_schedule": of_project(WRITE, "member", body=NIGHTLY),
    "experiments_target_from_file": of_project(READ, body=FILE, viewer=REFUSED),
    "experiments_validate": of_project(READ, body=DOCUMENT),
    "experiments_workload_from_file": of_project(READ, body=FILE),
    "studies_list": of_project(READ),
    "studies_read": of_project(READ),
    "studies_run": in_body(RUN, "member", body={"scale": "small"}),
    # Campaigns and runs
    "campaigns_accept": named(RUN, "member", body={"note": "so be it"}),
    "campaigns_add_repeats": named(RUN, "member", body={"count": 1}),
    "campaigns_cancel": named(RUN, "member"),
    "campaigns_create": in_body(RUN, "member", body={"experiment_id": "{experiment_id}"}),
    "campaigns_get": named(READ),
    "campaigns_list": of_project(READ),
    "campaigns_pause": named(RUN, "member"),
    "campaigns_release": named(RUN, "member", body={"name": "v1"}),
    "campaigns_resume": named(RUN, "member"),
    "campaigns_retry_failed": named(RUN, "member"),
    "campaigns_stream_events": named(READ, endless=True),
    "campaigns_withdraw_acceptance": named(RUN, "member"),
    "comparisons_list_caveats": named(READ),
    "comparisons_list_headlines": named(READ, query={"campaign": "{campaign_id}"}),
    "findings_read_histogram": named(EXPORT),
    "findings_read_run": named(READ),
    "gates_list_rejudged": named(READ),
    "gates_read_gate": named(READ),
    "gates_read_record": of_project(READ),
    "gates_read_rejudgement": named(READ),
    "gates_rejudge": named(RUN, "member", body={"campaigns": ["{campaign_id}"]}),
    "noise_list_floors": of_project(READ),
    "results_list_runs": named(READ, query={"campaign_id": "{campaign_id}"}, others=EMPTY),
    "results_read_artifact": named(EXPORT),
    "results_read_faults": named(READ),
    "results_read_gauges": named(READ),
    "results_read_heatmap": named(READ),
    "results_read_log": named(EXPORT),
    "results_read_scenario": named(READ),
    "results_read_series": named(READ),
    "results_read_spectrum": named(READ),
    "scenarios_read_operating_points": named(READ, viewer=NOTHING_SEARCHED),
    "scenarios_read_searches": named(READ, viewer=NOTHING_SEARCHED),
    # Comparisons
    "comparisons_compare": named(READ, query=COMPARED),
    "comparisons_read_answer": named(READ, query=COMPARED),
    "comparisons_read_distributions": named(READ, query=COMPARED | CELL),
    "comparisons_read_footprint": named(READ, query=COMPARED | CELL),
    "comparisons_read_histogram": named(EXPORT, query={"side": SIDE} | CELL),
    "comparisons_read_scaling": named(READ, query=COMPARED),
    "prices_read": of_project(READ),
    "prices_read_costs": named(READ, query=COMPARED),
    "prices_save": of_project(PRICES, "maintainer", body={}),
    "provisions_estimate": of_project(READ, body=DOCUMENT),
    "provisions_read": named(READ, viewer=NOTHING_MADE),
    "provisions_read_provisioner": mine(READ),
    # What may be used
    "quotas_list_organizations": mine(PEOPLE, "operator", others=frozenset({403})),
    "quotas_read_usage": of_project(READ),
    "quotas_save_of_organization": named(PEOPLE, "operator", body={}, others=frozenset({403})),
    "quotas_save_of_project": of_project(PEOPLE, "owner", body={}),
    # What changed, and what people say
    "alerts_change_alert": named(NOTES, "member", body={"note": "seen"}),
    "alerts_count": of_project(READ),
    "alerts_list_alerts": of_project(READ, others=EMPTY),
    "alerts_list_series": mine(READ),
    "alerts_read_alert": named(READ),
    "alerts_read_rule": of_project(READ),
    "alerts_read_series": named(READ),
    "alerts_save_rule": of_project(WATCH, "maintainer", body=RULE),
    "alerts_triage": named(
        NOTES, "member", body={"alerts": [{"id": "{alert_id}"}], "change": {"note": "seen"}}
    ),
    "alerts_try_rule": in_body(READ, body={"rule": RULE}),
    "retention_read": of_project(READ),
    "retention_save": of_project(PEOPLE, "owner", body={"logs_days": 36500}),
    "retention_preview": of_project(READ, body={"logs_days": 36500}),
    "retention_read_keeping": named(READ),
    "retention_keep": named(RUN, "member", body={"because": "why"}),
    "retention_release": named(RUN, "member"),
    "retention_delete_campaign": named(PEOPLE, "maintainer", body={"because": "why"}),
    "annotations_change": named(NOTES, "maintainer", body={"text": "changed"}),
    "annotations_list": named(READ, query={"run_id": "{run_id}"}, others=EMPTY),
    "annotations_remove": named(NOTES, "maintainer"),
    "annotations_write": named(
        NOTES, "member", body={"subject": {"kind": "run", "run_id": "{run_id}"}, "text": "a word"}
    ),
    # What people and channels are told of
    "notices_change_channel": named(WATCH, "maintainer", body={"active": False}),
    "notices_count": mine(SIGNED_IN, by_person=True),
    "notices_list": mine(SIGNED_IN, by_person=True),
    "notices_list_channels": of_project(WATCH, "maintainer"),
    "notices_list_deliveries": named(WATCH, "maintainer"),
    "notices_make_channel": in_body(WATCH, "maintainer", body={
        "kind": "webhook", "name": "another", "address": "https://hooks.example/x",
    }),
    "notices_mark_read": mine(SIGNED_IN, by_person=True, body={"ids": ["{notice_id}"]}),
    "notices_read_settings": mine(SIGNED_IN, by_person=True),
    "notices_remove_channel": named(WATCH, "maintainer"),
    "notices_save_settings": mine(SIGNED_IN, by_person=True, body={}),
    "notices_sign_anew": named(WATCH, "maintainer"),
    "notices_test_channel": named(WATCH, "maintainer"),
    # What leaves
    "exports_list_alerts": of_project(EXPORT, others=EMPTY),
    "exports_list_campaigns": of_project(EXPORT),
    "exports_list_experiments": of_project(EXPORT),
    "exports_list_runs": named(EXPORT, query={"campaign_id": "{campaign_id}"}),
    "exports_list_series": mine(EXPORT),
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
}  # fmt: skip
