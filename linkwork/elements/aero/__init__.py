"""Air, airfoils, lifting surfaces and rotors."""
