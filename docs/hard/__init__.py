"""Hard motions by all methods: the runs behind docs/hard-motions.md."""
