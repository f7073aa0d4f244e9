"""Studies: many variants of a model on all cores or a cluster, samples, and optimisation."""
