"""What is drawn: shapes of bodies, figures of those without one, symbols of joints, triangles."""
