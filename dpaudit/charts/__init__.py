"""Charts with matplotlib: one style, SVG that follows the reader's theme, files for papers."""
