"""The timetable: which tasks are regular, and how often. Knows their names alone."""

from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import has_former

QUOTAS_SECONDS = 300.0
"""Counting all that is stored takes the database a while."""
RETENTION_SECONDS = 300.0
"""What is kept for days is looked at this often."""
RESEAL_SECONDS = 60.0
"""How often what is sealed is looked through while a former secret is named."""


def timetable(settings: Settings) -> dict[str, float]:
    """How often the regular tasks run, in seconds.

    The allocator is also sent for whenever something changes; its regular turn covers what was
    lost with Redis.
    """
    often = min(3.0, settings.sweep_seconds)
    changed = {"secrets.reseal": RESEAL_SECONDS} if has_former(settings) else {}
    if settings.provisioner is not None:
        changed["provisions.sweep"] = settings.sweep_seconds
    return {
        **changed,
        "campaigns.allocate": often,
        "campaigns.watch_leases": min(15.0, settings.lease_seconds / 3),
        "campaigns.sweep": settings.sweep_seconds,
        "results.build_levels": settings.sweep_seconds,
        "alerts.look_for_missed": settings.sweep_seconds,
        "quotas.look": max(QUOTAS_SECONDS, settings.sweep_seconds),
        "retention.take_turn": max(RETENTION_SECONDS, settings.sweep_seconds),
        "notices.spread": often,
        "notices.tidy": settings.sweep_seconds,
        "identity.mail_unsent": settings.sweep_seconds,
        "experiments.start_due_schedules": min(15.0, settings.sweep_seconds),
    }
