"""From a model to numbers: compile_model, State, residual and tangent, linear solvers."""
