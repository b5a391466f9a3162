"""Reads what others measured, by importers that are plugins of their own kind."""
