"""How long one tenant's requests take while another sends the worst that it may: as a ratio."""
