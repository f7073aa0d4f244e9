"""Methods for equations of motion of second order: one linear relation per step."""
