"""Cards, a small function each, by what they describe."""
