"""One model through several methods: lw.compare."""
