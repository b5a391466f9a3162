"""One attempt in a process of its own: set up, driven, sampled, told of as events."""
