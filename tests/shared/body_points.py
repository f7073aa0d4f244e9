"""Where points of bodies are in an equilibrium."""

from linkwork.extend import rotations


def end(eq, name, point):
    """World place of a point of a body."""
    i = eq.state.bodies.index(name)
    return eq.state.positions[i] + rotations.matrix(eq.state.orientations[i : i + 1])[0] @ point
