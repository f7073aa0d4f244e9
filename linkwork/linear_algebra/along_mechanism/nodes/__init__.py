"""One body that leaves the equations with the joint that holds it."""
