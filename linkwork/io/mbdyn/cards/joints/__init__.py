"""Cards of joints: rows of the lock joint, motion laws, friction."""
