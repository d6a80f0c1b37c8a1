"""The documentation: pages that read as plain Markdown, and ``python -m docs``, which makes the site of them."""
