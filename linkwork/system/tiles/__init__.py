"""Large models in tiles of some bodies, which are evaluated just before they are eliminated."""
