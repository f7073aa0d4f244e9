"""Pages of the viewer: live, offline, their panels, and the stage that both use."""
