"""Methods in joint coordinates."""
