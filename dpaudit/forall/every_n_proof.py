"""The three parts of the theorem for every n, put together: below N, the ends from N on, the middle (EVERY_N.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from dpaudit.forall.every_n_finite import Audits, Below
from dpaudit.forall.every_n_rates import Family
from dpaudit.forall.every_n_search import Closed, Place, Search
from dpaudit.forall.ranged import Ranged
from dpaudit.numbers import balls
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.effort import Effort

EARLY = 12
"""The number of n that are audited first, for a lower bound of the supremum."""
PARTS = ((0.0, 0.5), (0.5, 0.6), (0.6, 1.0))
"""The approximate shares of the work: the audits below N, those that are sharpened, and the blocks of n."""
MOST_FINITE = 800
"""The largest N: every n below it is audited individually."""


@dataclass(frozen=True)
class Theory:
    """The proved theorem: enclosures of the supremum and of the limit, where the supremum is, and its parts."""

    family: Family
    supremum: Enclosure
    limit: Enclosure
    limit_known: Fraction | None
    """The limit itself, where algebra knows it."""
    best: Place | Below
    m: int
    first: int
    middle: Fraction
    cover: tuple[Closed, ...]
    below: tuple[Below, ...]
    open: str | None
    bits: int


def prove(family: Family, ranged: Ranged, effort: Effort, every_epsilon: bool = False) -> Theory:
    """The theorem for every n; with ``every_epsilon`` its bounds hold at every epsilon, in its proportion."""
    e = family.numerator
    small = max(0, len(str(e.denominator)) - len(str(e.numerator)))  # losses are in proportion to a small e
    effort = effort.to(effort.digits + small)
    bits = 128 + 8 * effort.digits
    return balls.refine(lambda: Attempt(family, ranged, effort, every_epsilon).run(), bits)[0]


@dataclass
class Attempt:
    """One attempt, at the precision in force."""

    family: Family
    ranged: Ranged
    effort: Effort
    every_epsilon: bool

    def run(self) -> Theory:
        """The theorem: the limit, the n below N, and the middle and the ends from N on."""
        below, rest, ends = (self.effort.stretched(*part) for part in PARTS)
        audits = Audits(self.ranged, rest, self.every_epsilon)
        for n in range(1, EARLY + 1):
            audits.look(n)
        search, limit = self._search(audits)
        for n in range(EARLY + 1, search.first):
            below.tell(n * n, search.first**2)
            audits.look(n)
        audits.sharpen(search.floor + search.tolerance)
        search.floor = max(search.floor, audits.attained)
        search.run(ends)
        return self._theory(search, limit, audits)

    def _search(self, audits: Audits) -> tuple[Search, tuple[Fraction, Fraction]]:
        """The search with the least M at which the middle stays below what is attained, and the limit.

        Where no M does, the last one whose N is small enough is taken.
        """
        family, tolerance = self.family, Fraction(1, 4 * 10**self.effort.digits)
        begins = _begins(family)
        possible = list(begins)
        if not possible:
            without = family.gamma is not None and _begins(replace(family, gamma=None))
            cause = f"γ = {family.gamma} is too small" if without else "the prior is too large"
            raise InputError("n", "all", f"the theorem would start beyond n = {MOST_FINITE}: {cause}; give one n")
        search = Search(family, possible[0], begins[possible[0]], tolerance, every_epsilon=self.every_epsilon)
        limit = search.whole_limit()
        search.floor = max(search.floor, audits.attained)
        fits = (m for m in possible if balls.ends(family.middle(m, begins[m]))[1] <= search.floor)
        m = next(fits, possible[-1])
        return replace(search, m=m, first=begins[m]), limit

    def _theory(self, search: Search, limit: tuple[Fraction, Fraction], audits: Audits) -> Theory:
        digits, middle = self.effort.digits, balls.ends(self.family.middle(search.m, search.first))[1]
        tail = max(closed.most for closed in search.cover)
        best = audits.best
        place: Place | Below = best if search.best is None or best.value.above(search.best.least) else search.best
        lower = best.value.lower if isinstance(place, Below) else place.least
        upper = max(lower, tail, middle, *(b.value.upper for b in audits.found.values()))
        if isinstance(place, Place):
            upper = max(upper, balls.ends(place.peak.value)[1])
        return Theory(
            family=self.family,
            supremum=outward(lower, upper, digits),
            limit=outward(*limit, digits),
            limit_known=limit[0] if limit[0] == limit[1] else None,
            best=place,
            m=search.m,
            first=search.first,
            middle=middle,
            cover=tuple(search.cover),
            below=tuple(audits.found.values()),
            open=_open(search, middle, lower, upper, digits),
            bits=balls.working_bits(),
        )


def _begins(family: Family) -> dict[int, int]:
    """N for every M that may be tried, as far as the n below N can be audited one by one."""
    least = {m: max(family.least_n(m), 3 * m) for m in family.depths()}
    return {m: first for m, first in least.items() if first <= MOST_FINITE}


def _open(search: Search, middle: Fraction, lower: Fraction, upper: Fraction, digits: int) -> str | None:
    """The inequality that is missing, or None where the supremum is as narrow as requested."""
    if upper - lower <= Fraction(1, 10**digits):
        return None
    if middle > lower:
        return f"the middle, x from {search.m} to n - {search.m + 1}: the loss is only known to be ≤ {at_most(middle)}"
    wide = max((closed for closed in search.cover), key=lambda closed: closed.most)
    if wide.most > lower + search.tolerance:
        pairs = ", ".join(f"{x}|{x + 1}" for x in wide.pairs)
        known = f"the pairs {pairs} on {wide.block.text()}: "
        if search.every_epsilon:
            known += "by rows matched at every ε at once, "
        return f"{known}the loss there is only known to be ≤ {at_most(wide.most, 6)}{'·ε' * search.every_epsilon}"
    return "an n below N: its own enclosure is wider than requested"
