"""What the author of a plugin imports.

`lifecycle` holds the verbs, `server` the shared half of plugins that run a server process,
`process` and `sampling` the tools for it, `driver` runs load, `registry` finds plugins, `testing`
is the conformance kit every plugin runs.
"""
