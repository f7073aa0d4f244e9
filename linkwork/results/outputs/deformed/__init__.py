"""Results of parts that deform: beams, cables, flexible links."""
