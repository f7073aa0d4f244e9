"""Flutter, divergence and trim."""
