"""Pictures and films without a browser or a display."""
