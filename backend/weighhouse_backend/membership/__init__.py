"""Organizations, projects and who is in them: invitations, domains, roles of members."""
