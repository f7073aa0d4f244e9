"""Reading and writing files of other programs."""
