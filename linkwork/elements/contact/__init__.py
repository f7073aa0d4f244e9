"""Contact between shapes of bodies."""
