"""What a deck says, as one object, and how it is run."""
