"""Campaigns, cells, runs and attempts as rows: their states, and all queries of them."""
