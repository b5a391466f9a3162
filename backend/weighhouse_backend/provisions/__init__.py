"""Machines that are made for a campaign, and gone afterwards."""
