"""Cards of constitutive laws."""
