"""What a run is checked for: its energy, turns in a step, open joints, samples, lowest values."""
