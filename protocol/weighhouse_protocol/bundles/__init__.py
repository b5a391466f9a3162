"""Bundles: a campaign as one file that anybody can check without the platform it came from."""
