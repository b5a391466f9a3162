"""The platform on one machine without containers: every part a child of one supervisor."""
