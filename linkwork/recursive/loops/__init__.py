"""Cut joints: their forces, Jacobians and correction."""
