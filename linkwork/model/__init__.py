"""What the user describes: the model, frames on bodies, the registry of items, drives."""
