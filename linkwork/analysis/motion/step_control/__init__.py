"""How the step changes during a run, and the errors that it is judged by."""
