"""Definitions of what is weighed: documents, revisions, templates, schedules."""
