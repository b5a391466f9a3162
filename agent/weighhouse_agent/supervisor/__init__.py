"""The agent that lives on: claims work, starts attempts, watches them to their end."""
