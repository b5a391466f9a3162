"""The shared half of every plugin whose system is a server: `server.ServerPlugin` has the verbs,
`questions.Questions` is what they ask of a subclass.
"""
