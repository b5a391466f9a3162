"""Fixtures of the importers' tests."""

from weighhouse_testing.given_results import here

__all__ = ["here"]
