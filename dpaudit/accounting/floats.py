"""Binary64 arithmetic with proven error bounds: exponentials, the discrete Fourier transform, powers.

FLOATS.md proves every constant here. Nothing depends on the ``exp``, ``sin`` or FFT of numpy or of the C library.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

U = 2.0**-53
"""The unit roundoff of binary64."""
EXPONENTIAL = 6 * U
"""Relative error of an entry of ``exponentials`` (FLOATS.md 1)."""
STAGE = 11 * U
"""Relative error of one stage of the transform, in the Euclidean norm (FLOATS.md 2)."""
PRODUCT = 3 * U
"""Relative error of a product of two complex floats (FLOATS.md 3)."""
TINY = 2.0**-1000
"""Added where a product may have been rounded to a subnormal number or to 0."""
BITS = 128
"""Precision of the balls from which the tables are rounded."""


def up(value: Ball) -> float:
    """A float that is at least every number in the ball; the ball lies within the range of binary64."""
    return _outward(value, 1)


def down(value: Ball) -> float:
    """A float that is at most every number in the ball; the ball lies within the range of binary64."""
    return _outward(value, -1)


def _outward(value: Ball, sign: int) -> float:
    near = float(value)
    return near + sign * (2.0**-50 * abs(near) + float(value.rad()) * (1 + 2.0**-20) + 2.0**-1040)


def exponentials(rate: Ball, first: int, count: int) -> Floats:
    """Floats within EXPONENTIAL, relatively, of e^(rate (first + i)) for 0 <= i < count.

    Entries below 2^-1000 may be off by TINY instead. Every power lies within the range of binary64.
    """
    block = 1 << max(1, (count.bit_length() + 1) // 2)
    with balls.precision(BITS):
        fine = np.array([float((rate * i).exp()) for i in range(block)])
        coarse = np.array([float((rate * (first + j * block)).exp()) for j in range(-(-count // block))])
    return np.outer(coarse, fine).ravel()[:count]


@lru_cache(maxsize=4)
def _roots(size: int) -> Complexes:
    """Complex floats within 7 U of e^(-2 pi i j / size) for 0 <= j < size/2."""
    block = 1 << ((size.bit_length() + 1) // 2)
    count = max(1, size // 2)

    def root(j: int) -> complex:
        angle = balls.pi() * (2 * j) / size
        return complex(float(angle.cos()), -float(angle.sin()))

    with balls.precision(BITS):
        fine = np.array([root(j) for j in range(min(block, count))])
        coarse = np.array([root(j * block) for j in range(-(-count // block))])
    found: Complexes = np.outer(coarse, fine).ravel()[:count]
    return found


def transform(values: Complexes | Floats) -> Complexes:
    """The discrete Fourier transform of a sequence of 2^L numbers, within ``transform_error(2^L)``.

    Stockham's radix-2 algorithm: in each of the L stages a pair (a, b) becomes (a + b, (a - b) w).
    """
    size = len(values)
    roots = _roots(size)
    x: Complexes = values.astype(np.complex128)
    stride, half = 1, size // 2
    while half:
        pairs, out = x.reshape(2, half, stride), np.empty((half, 2, stride), np.complex128)
        np.add(pairs[0], pairs[1], out=out[:, 0, :])
        np.multiply(pairs[0] - pairs[1], roots[::stride][:half, None], out=out[:, 1, :])
        x = out.reshape(size)
        stride, half = 2 * stride, half // 2
    return x


def inverse(values: Complexes) -> Complexes:
    """The inverse transform, with the same relative error."""
    found: Complexes = np.conjugate(transform(np.conjugate(values)))
    found /= len(values)
    return found


def transform_error(size: int) -> float:
    """Bounds ‖computed − exact‖ / ‖exact‖ of ``transform`` and ``inverse``, Euclidean norms (FLOATS.md 2)."""
    stages = size.bit_length() - 1
    return 1.01 * stages * STAGE


def power(values: Complexes, exponent: int) -> Complexes:
    """The powers of the entries, each within 1.01 (exponent - 1) PRODUCT relatively (FLOATS.md 3)."""
    result: Complexes | None = None
    square = values
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        if exponent:
            square = square * square
    assert result is not None
    return result


def norm_above(values: Complexes | Floats) -> float:
    """A float that is at least the Euclidean norm of the sequence."""
    squares = values.real * values.real + values.imag * values.imag
    return float(np.sqrt(np.sum(squares))) * (1 + (len(values) + 8) * U) + 2.0**-500


def largest_above(values: Complexes) -> float:
    """A float that is at least the size of every entry."""
    squares = values.real * values.real + values.imag * values.imag
    return float(np.sqrt(np.max(squares))) * (1 + 8 * U) + 2.0**-500


def sum_above(values: Floats) -> float:
    """A float that is at least the sum of the numbers, which are >= 0."""
    return float(np.sum(values)) * (1 + (len(values) + 2) * U) + TINY
