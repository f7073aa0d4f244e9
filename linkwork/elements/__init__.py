"""One file per element family: its equation, its kernel, its table, and the user's words for it."""
