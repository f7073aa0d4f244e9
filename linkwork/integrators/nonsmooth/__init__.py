"""Time stepping with impulses: hard contacts and impacts."""
