"""Joint rows in directors, joint coordinates, and the null space of the rows."""
