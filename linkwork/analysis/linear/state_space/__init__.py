"""lw.linearize: named state spaces with their inputs and outputs."""
