"""What comes out of a run: named arrays, energies, plots, files."""
