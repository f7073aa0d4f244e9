"""What parts of a model are checked for: beams, links, shapes, wheels, wings within their range."""
