"""Vector registers as values of compiled code: four and eight numbers at a time."""
