"""From a model to the frozen arrays of a system: numbering, tables, and what follows from them."""
