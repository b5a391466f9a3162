"""What a campaign's disclosure says, who may see it, what vendors and others say of it."""
