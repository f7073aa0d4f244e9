"""From a model to numbers: compile(), State, evaluation of residual and tangent, linear solvers."""
