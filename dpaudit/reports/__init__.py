"""Audit reports: one JSON document, collected once, then rendered as HTML, Markdown and charts without computing."""
