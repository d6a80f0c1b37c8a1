"""The privacy curve as printed, read again."""

from mpmath import mp, mpf


def overlap(a, b):
    return a.lower <= b.upper and b.lower <= a.upper


def number(value):
    return mpf(value.numerator) / value.denominator


def by_segments(result, epsilon):
    """delta at epsilon from the printed segments: lower and upper bounds."""
    factor = mp.exp(number(epsilon))
    lows = [number(s.power.lower) - factor * number(s.alpha.upper) for s in result.segments]
    highs = [number(s.power.upper) - factor * number(s.alpha.lower) for s in result.segments]
    return max(0, max(lows)), max(0, max(highs)) + number(result.slack.upper)
