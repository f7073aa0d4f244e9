"""Single numbers with equations of their own, and states of linear systems."""
