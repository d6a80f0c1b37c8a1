"""What is searched: n, k, epsilon and prior, fixed or free; and the seeds from which the optimizer starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from dpaudit.audit.setting import refuse_all
from dpaudit.mechanisms import in_family
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import parse_range, whole_range
from dpaudit.numbers.rationals import Exact, positive, sequence, whole
from dpaudit.posterior.model import count_histograms, make_model, show

EPSILONS = tuple(Fraction(e) for e in ("1/100", "1/10", "1/4", "1/2", "1", "2", "4", "8", "16"))
"""The epsilons tried where none is given; the optimizer also moves between the first and the last."""
BOX = (Fraction(1, 10**6), Fraction(10**6))
"""Prior entries stay in here where no prior is given."""
LARGEST_N = {2: 200, 3: 12, 4: 6}
MOST_HISTOGRAMS = 3000
SEEDS = {2: (-6, -4, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 6), 3: (-3, -1, 0, 1, 2, 3, 4)}
"""Logarithms (base 10) of the prior entries of the seeds, by k."""


@dataclass(frozen=True)
class Region:
    """The region of a search; a prior of None is free within the box, ``free_epsilon`` lets the optimizer move it.

    A user's own mechanism may have no n (``ns`` is None), and its prior, if it has one, is a parameter like others.
    """

    ns: range | None
    k: int | None
    epsilons: tuple[Fraction, ...]
    free_epsilon: bool
    prior: tuple[Fraction, ...] | None
    box: tuple[Fraction, Fraction] | None

    @property
    def free_prior(self) -> bool:
        """Whether the prior is one of the things that are searched."""
        return self.prior is None and self.box is not None

    def first(self) -> int:
        """The least n."""
        return 1 if self.ns is None else self.ns[0]

    def options(self) -> dict[str, Any]:
        """The options of the command line that give this region."""
        options = self.to_dict()
        eps = None if self.free_epsilon else options["eps"]
        return {
            "n": options["n"],
            "k": options["k"],
            "eps": eps,
            "prior": options["prior"],
            "prior_box": options["prior_box"],
        }

    def to_dict(self) -> dict[str, Any]:
        """The region as JSON, so that it can be given again."""
        between = f"{self.epsilons[0]}..{self.epsilons[-1]}"
        return {
            "n": None if self.ns is None else f"{self.ns[0]}..{self.ns[-1]}",
            "k": self.k,
            "eps": ",".join(str(e) for e in self.epsilons),
            "eps_between": between if self.free_epsilon and self.free_prior else None,
            "prior": None if self.prior is None else show(self.prior),
            "prior_box": f"{self.box[0]}..{self.box[1]}" if self.free_prior and self.box else None,
        }

    def seeds(self) -> list[tuple[float, ...]]:
        """The priors, as logarithms base 10, from which the optimizer may start; sorted where that is all."""
        k, box = self.k or 2, self.box or BOX
        low, high = (len(str(int(end))) - 1 if end >= 1 else -(len(str(int(1 / end))) - 1) for end in box)
        exponents = [e for e in SEEDS.get(k, (-3, 0, 2, 3)) if low <= e <= high]
        return [s for s in product(exponents, repeat=k) if list(s) == sorted(s)]

    def coarse(self, most: int = 9) -> list[int]:
        """A few n of the range, both ends among them, evenly spread on a logarithmic scale."""
        if self.ns is None:
            return []
        first, last = self.ns[0], self.ns[-1]
        ratio = (last / first) ** (1 / max(1, most - 1))
        return sorted({min(last, max(first, round(first * ratio**i))) for i in range(most)} | {first, last})


def make_region(
    mech: Any,
    n: str | int | None,
    k: str | int | None,
    eps: str | Sequence[Exact] | Exact | None,
    prior: str | Sequence[Exact] | None,
    box: str | None,
) -> Region:
    """The region to check; a parameter that is not given is free or has its default."""
    refuse_all(n=n, eps=eps)
    if eps is None:
        epsilons = EPSILONS
    else:
        given = [eps] if isinstance(eps, int | Fraction) else sequence("eps", eps)
        epsilons = tuple(sorted({positive("eps", e) for e in given}))
    if not in_family(mech):
        if box is not None:
            raise InputError("prior-box", box, "is for the posterior family; give your own parameters with --set")
        return Region(None if n is None else whole_range("n", str(n)), None, epsilons, eps is None, None, None)
    alphas = None if prior is None else make_model(1, k, prior).prior
    cells = len(alphas) if alphas else whole("k", k, 2, 8) if k is not None else 2
    ns = whole_range("n", f"1..{LARGEST_N.get(cells, 3)}" if n is None else str(n))
    size = count_histograms(ns[-1], cells)
    if size > MOST_HISTOGRAMS:
        rule = f"k = {cells} has {size} histograms there; the screening takes up to {MOST_HISTOGRAMS}"
        raise InputError("n", str(n), rule)
    return Region(ns, cells, epsilons, eps is None, alphas, _box(box))


def _box(text: str | None) -> tuple[Fraction, Fraction]:
    if text is None:
        return BOX
    ends = parse_range("prior-box", text, positive, "1/1000..100")
    if ends.low == ends.high:
        raise InputError("prior-box", text, "must be a range such as 1/1000..100")
    return ends.low, ends.high
