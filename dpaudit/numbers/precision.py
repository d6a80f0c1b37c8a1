"""The working precision: set here alone, for one thread at a time, and raised until an answer is good enough.

FLINT's precision belongs to the whole process. One lock guards it: a block of ``precision`` has it to itself, blocks of
other threads wait, and every ball is computed within such a block. Code of others that sets FLINT's precision from
another thread is not held up by the lock; its balls are still right, and may be wide.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import TypeVar

from flint import ctx

from dpaudit.numbers.verdict import Verdict

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MAX_BITS = 1 << 15
"""Refinement stops here with UNDECIDED, unless the caller says otherwise."""


class PrecisionExhausted(ArithmeticError):
    """The answer was still too wide, or undecided, at the largest precision tried; ``hopeless``: for any digits."""

    hopeless = False

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(f"undecided after {bits} bits")


class NeedsMoreBits(PrecisionExhausted):
    """Not known at the working precision; more bits may help, so ``refine`` goes on."""


class OneAtATime:
    """A lock; a thread that has it may take it again. A forked process has a free one."""

    def __init__(self) -> None:
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        """Makes the lock, free."""
        self.lock = RLock()


_TURN = OneAtATime()
"""Guards FLINT's precision."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Sets the working precision for the block and restores the old one whatever happens; one thread at a time."""
    with _TURN.lock:
        old = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = old


def working_bits() -> int:
    """The working precision in force."""
    return int(ctx.prec)


def bits_for(digits: int, size: int = 1) -> tuple[int, int]:
    """A first precision that usually suffices for ``digits`` decimals of a sum of ``size`` terms; and a cap."""
    bits = digits * 3322 // 1000 + 48 + 2 * size.bit_length()
    first = max(128, -(-bits // 64) * 64)
    return first, max(MAX_BITS, 8 * first)


def refine(compute: Callable[[], T | None], bits: int, max_bits: int = MAX_BITS) -> tuple[T, int]:
    """The first answer of ``compute`` that is not None, and the bits it took.

    ``compute`` runs at ``bits``, then at twice as many, and so on up to ``max_bits``; after that
    PrecisionExhausted tells how far it went. It returns None when its answer is too wide or undecided, or raises
    NeedsMoreBits; any other PrecisionExhausted says that more bits are of no use, and ends it.
    """
    while True:
        try:
            with precision(bits):
                answer = compute()
        except NeedsMoreBits:
            answer = None
        if answer is not None:
            return answer, bits
        if bits >= max_bits:
            raise PrecisionExhausted(bits)
        bits = min(2 * bits, max_bits)


def refine_all(
    items: Sequence[K], compute: Callable[[list[K]], Mapping[K, T]], bits: int, max_bits: int = MAX_BITS
) -> dict[K, tuple[T, int]]:
    """The answer for every item and the bits it took, each what ``refine`` gives for it alone.

    ``compute`` answers those of the items it can at the precision at hand, so that they share what they have in common.
    """
    found: dict[K, tuple[T, int]] = {}

    def attempt() -> bool | None:
        left = [item for item in items if item not in found]
        found.update({item: (answer, working_bits()) for item, answer in compute(left).items()})
        return len(found) == len(set(items)) or None

    refine(attempt, bits, max_bits)
    return found


def decide(compute: Callable[[], Verdict], bits: int = 128, max_bits: int = 4096) -> tuple[Verdict, int]:
    """The verdict of ``compute`` at the least precision that decides it, or UNDECIDED, and the bits."""

    def attempt() -> Verdict | None:
        verdict = compute()
        return None if verdict is Verdict.UNDECIDED else verdict

    try:
        return refine(attempt, bits, max_bits)
    except PrecisionExhausted as exhausted:
        return Verdict.UNDECIDED, exhausted.bits
