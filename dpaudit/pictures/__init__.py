"""Pictures written as SVG by hand: static, themed by the page, with words that say what they show."""
