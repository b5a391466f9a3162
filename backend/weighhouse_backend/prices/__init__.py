"""What machines and licences cost, as an organization says, and what operations cost by that."""
