"""How well colors are told apart, by the definitions of the web's guidelines for accessibility."""

import re


def luminance(color):
    """The relative luminance of "#rrggbb" or "rgb(r, g, b)"."""
    digits = [int(color[i : i + 2], 16) for i in (1, 3, 5)] if color[0] == "#" else map(int, re.findall(r"\d+", color))
    parts = [part / 255 for part in digits]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The ratio of contrast of two colors: from 1 to 21."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)
