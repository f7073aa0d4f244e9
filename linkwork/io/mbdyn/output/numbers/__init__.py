"""What MBDyn writes of nodes, joints, beams and forces, in blocks of stored times."""
