"""The implicit step for bodies that turn fast: momenta, turned axes, GGL constraints.

`momenta` has the variables in which the relations of a method hold, `step` Newton's method for them
and the loop over steps, `history` what an accepted step leaves behind, `change_over` the way to the
form for smooth motion and back, and `spinning` says which bodies need this form.
"""
