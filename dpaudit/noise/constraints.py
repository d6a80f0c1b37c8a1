"""The comparisons of one path: bounds on single draws, and windows on differences of two draws, after rescaling.

Every draw s of a comparison a s + b t + c >= 0 is rescaled to s' = scale s such that all comparisons of two draws are
about differences s' - t'. That is possible as long as no two comparisons disagree on the ratio of two scales.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from flint import fmpq

from dpaudit.noise.families import Family, Window
from dpaudit.noise.linear import NOTHING, ONE, Linear, fast, fraction, place, refuse

ZERO = -1
"""The node of the number 0, for bounds on a single draw."""


class Cyclic(Exception):
    """The comparisons of a path form a cycle; the message names the line that closes it."""


@dataclass(frozen=True)
class Tree:
    """Draws with their rescaled distributions and cuts, and windows on differences along the edges of a tree.

    An edge (s, t): window says that s' - t' lies in the window.
    """

    families: dict[int, Family]
    cuts: dict[int, Window]
    edges: dict[tuple[int, int], Window]
    scales: dict[int, Fraction]


@dataclass
class System:
    """The comparisons so far; the region that they leave has an interior."""

    families: Sequence[Family]
    bounds: dict[tuple[int, int], fmpq] = field(default_factory=dict)
    """(s, t): w means s' - t' <= w; ZERO is the number 0."""
    scale: dict[int, fmpq] = field(default_factory=dict)
    group: dict[int, int] = field(default_factory=dict)
    lattice: dict[int, tuple[int | None, int | None]] = field(default_factory=dict)
    """Bounds of the discrete draws."""
    circle: str = ""
    """The line of the last comparison of two draws that were connected before."""

    def copy(self) -> System:
        """An independent copy, on the same list of draws."""
        maps = dict(self.bounds), dict(self.scale), dict(self.group), dict(self.lattice)
        return System(self.families, *maps, self.circle)

    # -------------------------------------------------------------- scales

    def _enter(self, s: int) -> None:
        if s in self.scale:
            return
        self.scale[s], self.group[s] = ONE, s
        low, high = self.families[s].support()
        if low is not None:
            self.bounds[ZERO, s] = -fast(low)
        if high is not None:
            self.bounds[s, ZERO] = fast(high)

    def _rescale(self, group: int, factor: fmpq, into: int) -> None:
        """Multiplies the scales of a group; bounds between its draws, and with 0, follow."""
        members = {s for s, g in self.group.items() if g == group}
        for s in members:
            self.scale[s] *= factor
            self.group[s] = into
        if factor == 1:
            return
        touched = {key: w for key, w in self.bounds.items() if members & set(key)}
        for key in touched:
            del self.bounds[key]
        for (s, t), w in touched.items():
            self.bounds[(s, t) if factor > 0 else (t, s)] = w * abs(factor)

    def _aligned(self, form: Linear) -> tuple[int, int, fmpq]:
        """(s, t, w): form >= 0 says s' - t' <= w; draws are rescaled as needed."""
        if len(form.terms) > 2:
            refuse("three draws in one comparison: compare two at a time, or return the values and compare later")
        (s, a), *rest = form.terms
        self._enter(s)
        if not rest:
            factor = -a / self.scale[s]
            w = form.shift / abs(factor)
            return (s, ZERO, w) if factor > 0 else (ZERO, s, w)
        t, b = rest[0]
        self._enter(t)
        if self.group[s] != self.group[t]:
            wanted = -b * self.scale[s] / a
            self._rescale(self.group[t], wanted / self.scale[t], self.group[s])
        elif (s, t) not in self.bounds and (t, s) not in self.bounds:
            self.circle = place()
        if self.scale[t] * a != -b * self.scale[s]:
            refuse("two comparisons weigh the same draws differently, a cycle of comparisons: compare each draw once")
        factor = -a / self.scale[s]
        w = form.shift / abs(factor)
        return (s, t, w) if factor > 0 else (t, s, w)

    # -------------------------------------------------------------- what is possible

    def _distance(self, start: int, end: int, without: tuple[int, int] | None = None) -> fmpq | None:
        """The least sum of bounds along a way: start' - end' is at most this; None where there is no way."""
        best = {start: NOTHING}
        edges = [(s, t, w) for (s, t), w in self.bounds.items() if (s, t) != without]
        for _ in range(len(self.scale) + 1):
            changed = False
            for s, t, w in edges:
                if s in best and (t not in best or best[s] + w < best[t]):
                    best[t] = best[s] + w
                    changed = True
            if not changed:
                break
        return best.get(end)

    def free(self, form: Linear) -> bool:
        """Whether a draw of the form has no bound yet and is spread over all reals: both answers are possible."""
        return any(s not in self.scale and self.families[s].support() == (None, None) for s, _ in form.terms)

    def allows(self, form: Linear) -> bool:
        """Whether form >= 0 leaves a region with an interior."""
        if self.free(form):
            if len(form.terms) > 2:
                refuse("three draws in one comparison: compare two at a time, or return the values and compare later")
            return True
        s, t, w = self._aligned(form)
        back = self._distance(t, s)
        return back is None or back + w > 0

    def add(self, form: Linear) -> None:
        """Adds the constraint form >= 0."""
        s, t, w = self._aligned(form)
        known = self.bounds.get((s, t))
        self.bounds[s, t] = w if known is None else min(known, w)

    def range(self, form: Linear) -> Window:
        """The interval of the form that the comparisons imply."""
        s, t, w = self._aligned(form)
        size = abs(form.terms[0][1] / self.scale[form.terms[0][0]])
        least, most = self._distance(s, t), self._distance(t, s)
        low = None if least is None else fraction((w - least) * size)
        high = None if most is None else fraction((w + most) * size)
        return low, high

    # -------------------------------------------------------------- discrete draws

    def lattice_window(self, s: int) -> tuple[int | None, int | None]:
        """The smallest and the largest possible value of a discrete draw."""
        return self.lattice.get(s, (None, None))

    def lattice_allows(self, s: int, low: int | None, high: int | None) -> bool:
        """Whether low <= s <= high is possible."""
        least, most = self._met(s, low, high)
        return least is None or most is None or least <= most

    def _met(self, s: int, low: int | None, high: int | None) -> tuple[int | None, int | None]:
        least, most = self.lattice_window(s)
        lows = [n for n in (least, low) if n is not None]
        highs = [n for n in (most, high) if n is not None]
        return max(lows, default=None), min(highs, default=None)

    def lattice_add(self, s: int, low: int | None, high: int | None) -> None:
        """Adds the constraint low <= s <= high."""
        self.lattice[s] = self._met(s, low, high)

    # -------------------------------------------------------------- trees

    def trees(self) -> Iterator[Tree]:
        """The compared draws, tree by tree; Cyclic where the comparisons contain a cycle."""
        groups: dict[int, list[int]] = {}
        for s in self.scale:
            groups.setdefault(self.group[s], []).append(s)
        for members in groups.values():
            found = self._connected(members)
            if any(len(edges) >= len(draws) for draws, edges in found):
                self._drop_implied([key for _, edges in found for edge in edges for key in (edge, edge[::-1])])
                found = self._connected(members)
            for draws, edges in found:
                yield self._tree(draws, edges)

    def _connected(self, members: Sequence[int]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """The draws of a group, split where no bound connects them, each part with its edges (s, t), s < t."""
        pairs = {(min(key), max(key)) for key in self.bounds if ZERO not in key}
        home = {s: [s] for s in members}
        edges = sorted(edge for edge in pairs if edge[0] in home)
        for s, t in edges:
            if home[s] is not home[t]:
                home[s] += home[t]
                for u in home[t]:
                    home[u] = home[s]
        parts = {id(part): part for part in home.values()}.values()
        return [(part, [edge for edge in edges if edge[0] in part]) for part in parts]

    def _tree(self, draws: Sequence[int], edges: Sequence[tuple[int, int]]) -> Tree:
        if len(edges) >= len(draws):
            raise Cyclic(f"{self.circle}the comparisons form a cycle: take noise.argmax(list), or fewer of them")
        windows = {(s, t): _window(self.bounds.get((t, s)), self.bounds.get((s, t))) for s, t in edges}
        cuts = {s: _window(self.bounds.get((ZERO, s)), self.bounds.get((s, ZERO))) for s in draws}
        scales = {s: fraction(self.scale[s]) for s in draws}
        return Tree({s: self.families[s].times(scales[s]) for s in draws}, cuts, windows, scales)

    def _drop_implied(self, keys: Sequence[tuple[int, int]]) -> None:
        """Forgets bounds that the others imply: a < b and b < c make a < c superfluous."""
        for key in keys:
            if key in self.bounds:
                around = self._distance(*key, without=key)
                if around is not None and around <= self.bounds[key]:
                    del self.bounds[key]


def _window(low: fmpq | None, high: fmpq | None) -> Window:
    return None if low is None else fraction(-low), None if high is None else fraction(high)


def whole_range(window: Window) -> tuple[int, int] | None:
    """The first and the last value of floor(u) for u inside the window; None where it is unbounded."""
    low, high = window
    return None if low is None or high is None else (floor(low), ceil(high) - 1)
