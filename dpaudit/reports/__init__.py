"""Reports: one typed document, written as HTML, Markdown and JSON."""
