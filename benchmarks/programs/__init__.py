"""The mechanisms of the comparisons in each program, run in processes of their own."""
