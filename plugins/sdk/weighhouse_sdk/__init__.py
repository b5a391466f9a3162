"""What the author of a plugin imports.

`lifecycle` holds the verbs, `context` what they are given, `serving` the shared half of plugins
that run a server, `families` what relatives share, `toolrun` the like for load tools, `driver` runs
load, `registry` finds plugins, `testkit` is what every plugin is held to. Below all of them lies
`machine`, which does the work on the agent's machine and knows no plugin.
"""
