"""What a token may do within its role: which scope each operation takes."""

from collections.abc import Iterable, Mapping
from enum import StrEnum


class Scope(StrEnum):
    """A kind of thing that tokens are made for."""

    RESULTS_READ = "results:read"
    """Look at experiments, campaigns, runs, comparisons, series, alerts, machines, members."""
    RESULTS_EXPORT = "results:export"
    """Take tables, histograms, files of runs, logs and disclosures along."""
    EXPERIMENTS_WRITE = "experiments:write"
    """Change experiments and their schedules."""
    CAMPAIGNS_RUN = "campaigns:run"
    """Start, pause, cancel, repeat, accept, judge and keep campaigns."""
    NOTES_WRITE = "notes:write"
    """Write annotations and reports, triage alerts."""
    PUBLISHING_WRITE = "publishing:write"
    """Consents, overrides, links for replies, challenges; what is shared."""
    SOURCES_WRITE = "sources:write"
    """Keep, correct and remove what others published."""
    PRICES_WRITE = "prices:write"
    """Change what machines and licences cost."""
    AGENTS_ENROL = "agents:enrol"
    """Make registration tokens for machines."""
    AGENTS_MANAGE = "agents:manage"
    """Rename, drain, update and revoke machines."""
    NOTICES_MANAGE = "notices:manage"
    """Change what a project watches for and where it is told, and see what was sent there."""
    AUDIT_READ = "audit:read"
    """Read the audit log, and take it along."""
    PEOPLE_MANAGE = "people:manage"
    """Look at and change people, projects, tokens, quotas, retention; delete campaigns; all of
    `audit:read`."""


INCLUDED: Mapping[Scope, frozenset[Scope]] = {
    Scope.PEOPLE_MANAGE: frozenset({Scope.AUDIT_READ}),
}
"""What a scope brings along."""

_OPERATIONS: Mapping[Scope | None, str] = {
    Scope.RESULTS_READ: """
        alerts_count alerts_list_alerts alerts_list_series alerts_read_alert alerts_read_rule
        alerts_read_series alerts_try_rule annotations_list
        bundles_list_keys bundles_list_reproductions
        campaigns_get campaigns_list campaigns_stream_events
        catalog_list_manifests catalog_list_systems catalog_read_system
        comparisons_compare comparisons_list_caveats comparisons_list_headlines
        comparisons_read_answer
        comparisons_read_distributions comparisons_read_footprint comparisons_read_scaling
        experiments_diff experiments_fairness experiments_get experiments_get_revision
        experiments_get_revision_yaml experiments_get_schedule experiments_list
        experiments_list_occurrences experiments_list_revisions experiments_list_templates
        experiments_preview_schedule experiments_target_from_file experiments_validate
        experiments_workload_from_file
        exports_read_metrics findings_read_run fleet_get_agent fleet_list_agents
        gates_list_rejudged gates_read_gate gates_read_record gates_read_rejudgement
        identity_list_members identity_list_projects
        noise_list_floors prices_read prices_read_costs provisions_estimate provisions_read
        provisions_read_provisioner quotas_read_usage
        results_list_runs results_read_faults results_read_gauges results_read_heatmap
        results_read_scenario results_read_series results_read_spectrum
        reports_draft reports_list reports_read reports_read_edition reports_read_revision
        retention_preview retention_read retention_read_keeping
        scenarios_read_operating_points scenarios_read_searches search_find sharing_list
        sources_list sources_preview sources_read sources_read_figures studies_list studies_read
    """,
    Scope.RESULTS_EXPORT: """
        bundles_read_campaign comparisons_read_histogram exports_list_agents exports_list_alerts
        exports_list_annotations exports_list_campaigns exports_list_experiments
        exports_list_published_sources exports_list_members exports_list_occurrences
        exports_list_reports exports_list_revisions exports_list_runs exports_list_series
        exports_list_shares exports_list_studies exports_list_systems exports_read_campaign
        exports_read_comparison exports_read_run exports_read_series
        findings_read_histogram publishing_read_disclosure
        reports_read_file results_read_artifact results_read_log sources_read_document
    """,
    Scope.EXPERIMENTS_WRITE: """
        experiments_add_revision experiments_create experiments_delete_schedule
        experiments_put_schedule
    """,
    Scope.CAMPAIGNS_RUN: """
        campaigns_accept campaigns_add_repeats campaigns_cancel campaigns_create campaigns_pause
        campaigns_release campaigns_resume campaigns_retry_failed campaigns_withdraw_acceptance
        gates_rejudge retention_keep retention_release studies_run
    """,
    Scope.NOTES_WRITE: """
        alerts_change_alert alerts_triage annotations_change annotations_remove annotations_write
        reports_create reports_freeze reports_remove reports_save
        bundles_add_reproduction bundles_remove_reproduction
    """,
    Scope.PUBLISHING_WRITE: """
        publishing_answer_challenge publishing_challenge publishing_decide_challenge
        publishing_end_override publishing_invite_reply publishing_override
        publishing_record_consent publishing_revoke_link publishing_withdraw_challenge
        publishing_withdraw_consent publishing_withdraw_reply sharing_revoke sharing_share
    """,
    Scope.SOURCES_WRITE: "sources_correct sources_keep sources_remove",
    Scope.PRICES_WRITE: "prices_save",
    Scope.AGENTS_ENROL: "fleet_make_registration_token",
    Scope.AGENTS_MANAGE: """
        catalog_decide_manifest
        fleet_change_agent fleet_drain_agent fleet_revoke_agent fleet_undrain_agent
        fleet_update_agent
    """,
    Scope.NOTICES_MANAGE: """
        alerts_save_rule exports_list_channels
        notices_change_channel notices_list_channels notices_list_deliveries notices_make_channel
        notices_remove_channel notices_sign_anew notices_test_channel
    """,
    Scope.AUDIT_READ: "identity_export_audit_entries identity_list_audit_entries",
    Scope.PEOPLE_MANAGE: """
        directories_let_in directories_read directories_shut_out
        exports_list_domains exports_list_invitations exports_list_tokens exports_list_trusts
        identity_add_domain identity_change_member identity_end_project_role identity_invite
        identity_archive_project identity_list_domains identity_list_invitations
        identity_list_tokens identity_list_trusts identity_make_project
        identity_make_token identity_make_trust identity_read_provider identity_remove_domain
        identity_remove_member identity_remove_provider identity_remove_trust
        identity_rename_project identity_restore_project
        identity_revoke_invitation identity_revoke_token identity_rotate_token
        identity_save_provider identity_set_project_role
        quotas_list_organizations quotas_save_of_organization quotas_save_of_project
        retention_delete_campaign retention_save
    """,
    None: """
        identity_add_passkey identity_begin_passkey identity_begin_second_factor
        identity_change_password identity_confirm_second_factor identity_end_login
        identity_end_other_logins identity_list_logins identity_log_out
        identity_make_organization identity_read_factor_policy
        identity_read_second_factor identity_remove_passkey identity_remove_second_factor
        identity_renew_recovery_codes identity_reset_second_factor identity_set_factor_policy
        identity_who_am_i notices_count notices_list notices_mark_read notices_read_settings
        notices_save_settings
    """,
}
"""Operations by the scope that they take; None: people who are signed in, and no token at all."""
TAKES: Mapping[str, Scope | None] = {
    name: scope for scope, names in _OPERATIONS.items() for name in names.split()
}
"""Of each operation that people call, by its id. What is not here takes no token, and keeps the
API's document from being made.
"""


def held(named: Iterable[str]) -> frozenset[Scope]:
    """What a token has that was made for some scopes."""
    own = frozenset(map(Scope, named))
    return own.union(*(INCLUDED.get(one, frozenset()) for one in own))
