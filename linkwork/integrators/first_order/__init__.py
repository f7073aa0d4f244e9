"""Methods for equations of first order, MBDyn's: multistep and multistage formulas."""
