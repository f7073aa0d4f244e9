"""Cards that say what to compute and how: times, methods, modes, inverse dynamics."""
