"""Algebra that settles a claim for all n: exact polynomial identities and inequalities."""

from __future__ import annotations

from math import comb

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx


def variables(*names: str) -> tuple[fmpq_mpoly, ...]:
    """The generators of a ring of polynomials with rational coefficients; equality of polynomials is exact.

    >>> q, p = variables("q", "p")
    >>> (1 - q) * (1 + q) == 1 - q**2, (p + q) ** 2 == p**2 + q**2
    (True, False)
    """
    return tuple(fmpq_mpoly_ctx.get(names, "degrevlex").gens())


def coefficients_positive(poly: fmpq_mpoly) -> bool:
    """True only if poly > 0 wherever its variables are > 0: it is not 0 and has no negative coefficient."""
    coefficients = list(poly.coeffs())
    return bool(coefficients) and all(c > 0 for c in coefficients)


def nonnegative_on_square(poly: fmpq_mpoly) -> bool:
    """True only if poly(q, K) >= 0 for all 0 <= q, K <= 1: its Bernstein coefficients are >= 0.

    False says nothing.

    >>> q, k = variables("q", "K")
    >>> nonnegative_on_square((1 - q) * k), nonnegative_on_square(k - q)
    (True, False)
    """
    terms = {tuple(map(int, exponents)): c for exponents, c in poly.to_dict().items()}
    first, second = (max((exponents[i] for exponents in terms), default=0) for i in (0, 1))

    def share(i: int, j: int, exponents: tuple[int, ...]) -> fmpq:
        a, b = exponents
        return fmpq(comb(i, a) * comb(j, b), comb(first, a) * comb(second, b))

    return all(
        sum((c * share(i, j, exponents) for exponents, c in terms.items()), fmpq(0)) >= 0
        for i in range(first + 1)
        for j in range(second + 1)
    )
