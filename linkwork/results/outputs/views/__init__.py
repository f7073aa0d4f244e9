"""Views: what a run tells about one item, by its kind."""
