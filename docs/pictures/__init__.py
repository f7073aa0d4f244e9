"""Pictures of the README and of the pages."""
