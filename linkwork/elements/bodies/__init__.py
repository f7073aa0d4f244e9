"""One or many masses: the rigid body, and what changes or describes its inertia."""
