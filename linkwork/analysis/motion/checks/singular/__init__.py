"""Positions in which constraints become dependent: forces beside them, branches that meet there."""
