"""Scenarios whose loads are chosen while they are measured."""
