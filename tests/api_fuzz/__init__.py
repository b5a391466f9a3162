"""Sends every operation invented requests, and holds the answers against the document."""
