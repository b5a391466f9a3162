"""Agents: registration, sessions, what they bring and what they are."""
