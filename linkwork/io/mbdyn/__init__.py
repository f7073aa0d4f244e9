"""MBDyn input files: the reader, and its results in MBDyn's own layouts."""
