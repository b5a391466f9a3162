"""Logs and files of attempts, and where their contents lie."""
