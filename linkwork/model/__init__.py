"""What the user describes: the model, frames on bodies, the registry of items, functions of time."""
