"""Results in the layouts of MBDyn's files."""
