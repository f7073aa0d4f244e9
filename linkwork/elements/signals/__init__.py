"""Numbers that follow the motion, and what sensors show."""
