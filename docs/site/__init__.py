"""How the pages, the docstrings and the committed reports become the pages of the site."""
