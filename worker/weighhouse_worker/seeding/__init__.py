"""Invented campaigns for developers: pages with much on them, and nothing measured."""
