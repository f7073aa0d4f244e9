"""Small motions about an equilibrium or a steady motion: lw.eigen and lw.linearize."""
