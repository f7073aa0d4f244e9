"""What linkwork needs of numba's compiler: lean or plain, stamps of sources, signals held back."""
