"""Campaigns as files that anybody can check without the platform, and who measured them again."""
