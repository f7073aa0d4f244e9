"""docs/speed.md: its words, tables and pictures."""
