"""Fixtures shared by all tests: real servers and the whole platform, on free ports."""
