"""What is written from the code: pages of the site, tables of pages, names for editors."""
