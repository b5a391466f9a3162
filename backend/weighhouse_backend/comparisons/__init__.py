"""Sides next to each other, with what differs."""
