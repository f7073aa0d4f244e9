"""What follows from the stored motion: of one item, of a joint, of all bodies."""
