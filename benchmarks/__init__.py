"""Speed of linkwork: `make bench` or `python -m benchmarks`."""
