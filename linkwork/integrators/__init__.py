"""Time stepping: a method is a small frozen class of numbers; one compiled loop steps them all."""
