"""Cards on single numbers: abstract nodes, genels, filters."""
