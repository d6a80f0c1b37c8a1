"""An independent reference: mpmath quadrature of the definitions, no code shared with the engine."""

from fractions import Fraction

from mpmath import erfc, exp, inf, log, mp, mpf, quad, sqrt

mp.dps = 30


def number(value):
    value = Fraction(value)
    return mpf(value.numerator) / value.denominator


def laplace_pdf(t, scale):
    return exp(-abs(t) / scale) / (2 * scale)


def laplace_cdf(t, scale):
    return exp(t / scale) / 2 if t < 0 else 1 - exp(-t / scale) / 2


def exponential_pdf(t, scale):
    return exp(-t / scale) / scale if t > 0 else mpf(0)


def exponential_cdf(t, scale):
    return 1 - exp(-t / scale) if t > 0 else mpf(0)


def normal_pdf(t, sigma):
    return exp(-((t / sigma) ** 2) / 2) / (sigma * sqrt(2 * mp.pi))


def normal_cdf(t, sigma):
    return erfc(-t / sigma / sqrt(2)) / 2


KINDS = {
    "laplace": (laplace_pdf, laplace_cdf),
    "exponential": (exponential_pdf, exponential_cdf),
    "gaussian": (normal_pdf, normal_cdf),
}


def integral(f, kinks):
    """The integral over all reals, split at the kinks, where the integrand falls off within 150 units of them."""
    points = sorted(set(map(mpf, kinks)))
    far = [
        points[0] - 3000,
        points[0] - 300,
        points[0] - 40,
        *points,
        points[-1] + 40,
        points[-1] + 300,
        points[-1] + 3000,
    ]
    return quad(f, far)


def noisy_max(x, kind, scale):
    """P(index = i) for every i."""
    pdf, cdf = KINDS[kind]

    def chance(i):
        def at(v):
            found = pdf(v - x[i], scale)
            for j, q in enumerate(x):
                if j != i:
                    found *= cdf(v - q, scale)
            return found

        return integral(at, x)

    return [chance(i) for i in range(len(x))]


def first_above(x, threshold, kind, threshold_scale, query_scale):
    """P(first query above is i), and P(none) last."""
    pdf, cdf = KINDS[kind]

    def chance(i):
        def at(t):
            found = pdf(t - threshold, threshold_scale)
            for j in range(min(i, len(x))):
                found *= cdf(t - x[j], query_scale)
            return found if i == len(x) else found * (1 - cdf(t - x[i], query_scale))

        return integral(at, [*x, threshold])

    return [chance(i) for i in range(len(x) + 1)]


def largest_value_density(x, kind, scale):
    """v -> the density of the largest noisy value."""
    pdf, cdf = KINDS[kind]

    def at(v):
        total = mpf(0)
        for i, q in enumerate(x):
            part = pdf(v - q, scale)
            for j, r in enumerate(x):
                if j != i:
                    part *= cdf(v - r, scale)
            total += part
        return total

    return at


def loss(p, q):
    return max(abs(log(a / b)) for a, b in zip(p, q, strict=True))


__all__ = ["first_above", "inf", "integral", "largest_value_density", "loss", "noisy_max", "number"]
