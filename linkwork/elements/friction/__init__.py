"""Dry friction: models, bristles, and the surfaces of joints that rub."""
