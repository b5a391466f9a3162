"""Whether a build may pass, and what follows when a campaign ends."""
