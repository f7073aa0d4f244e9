"""Results on disk: files, journals, and models as plain data."""
