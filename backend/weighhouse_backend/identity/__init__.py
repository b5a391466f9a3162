"""Organizations, people, roles, tokens, the audit log."""
