"""What the agent's machine does for a plugin: it runs nodes within limits, disturbs their network,
looks at what they use, and finds what a crash left.

Knows no system and no verb. An author meets it through `Context` and what `serving` makes of it.
"""
