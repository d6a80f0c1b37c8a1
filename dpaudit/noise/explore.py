"""Every path of a sampler's code: at a branch the code runs again with the other answer, so no states are merged."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.noise.constraints import System, whole_range
from dpaudit.noise.families import Family
from dpaudit.noise.linear import MINUS, NOTHING, ONE, Linear, Refused, number, place, refuse
from dpaudit.noise.source import Noise
from dpaudit.noise.symbols import Real, Whole
from dpaudit.numbers.exponentials import Form, combine, form_is_positive, of_rational
from dpaudit.numbers.verdict import Verdict

MAX_PATHS = 1 << 14
"""The largest number of paths that are explored; the total probability of the others is the residual."""
MAX_FORKS = 200
"""A path with more branches is not followed to its end."""
MAX_DRAWS = 10_000
"""A path with more draws is not followed to its end."""
MAX_VALUES = 10_000
"""A whole number with more possible values is not listed."""


KEEPS = "the code gives a different result when it runs again: it must not keep state between runs"


class TooDeep(BaseException):
    """The path has more branches, or draws, than are followed."""


@dataclass(frozen=True)
class RealPart:
    """A real number in an output, linear in the draws."""

    form: Linear

    def __str__(self) -> str:
        return "·"


@dataclass(frozen=True)
class Path:
    """One path through the code: the draws, the constraints on them, the weight of its coins, and the output."""

    families: Sequence[Family]
    system: System
    weight: Form
    output: Hashable
    """Made of None, bool, int, Fraction, text, tuples and RealPart."""


@dataclass
class Run:
    """One run of the code: it repeats given answers, then takes the first possible answer at every new branch."""

    answers: list[int]
    families: list[Family] = field(default_factory=list)
    asked: list[tuple[Hashable, int]] = field(default_factory=list)
    """Every branch: the question, and the number of possible answers."""
    weight: Form = field(default_factory=lambda: of_rational(Fraction(1)))

    def __post_init__(self) -> None:
        self.system = System(self.families)

    def draw(self, family: Family) -> Linear:
        """A new symbol."""
        if len(self.families) >= MAX_DRAWS:
            raise TooDeep
        self.families.append(family)
        return Linear(((len(self.families) - 1, ONE),), NOTHING)

    def _fork(self, question: Hashable, possible: Sequence[int]) -> int:
        """The answer to take, one of those possible; a single one is no fork."""
        if len(possible) == 1:
            return possible[0]
        if len(self.asked) >= MAX_FORKS:
            raise TooDeep
        turn = len(self.asked)
        self.asked.append((question, len(possible)))
        if turn == len(self.answers):
            self.answers.append(0)
        if self.answers[turn] >= len(possible):
            refuse(KEEPS)
        return possible[self.answers[turn]]

    def positive(self, form: Linear) -> bool:
        """Whether form > 0 on this path."""
        if self.system.free(form):
            possible = [1, 0]
            if len(form.terms) > 2:
                self.system.allows(form)
        else:
            opposite = form.times(MINUS)
            possible = [yes for yes, side in ((1, form), (0, opposite)) if self.system.allows(side)]
        yes = self._fork(form, possible or [0])
        self.system.add(form if yes else form.times(MINUS))
        return bool(yes)

    def at_least(self, form: Linear, bar: int) -> bool:
        """Whether floor(form) >= bar on this path."""
        if not self._discrete(form):
            return self.positive(form.plus(number(bar), MINUS))
        s = form.terms[0][0]
        sides = {1: (bar, None), 0: (None, bar - 1)}
        possible = [yes for yes, side in sides.items() if self.system.lattice_allows(s, *side)]
        yes = self._fork((form, bar), possible)
        self.system.lattice_add(s, *sides[yes])
        return bool(yes)

    def _discrete(self, form: Linear) -> bool:
        return len(form.terms) == 1 and self.families[form.terms[0][0]].discrete

    def value(self, form: Linear) -> int:
        """The value of floor(form) on this path: a branch for each possible value, which must be finitely many."""
        discrete = self._discrete(form)
        s = form.terms[0][0]
        window = self.system.lattice_window(s) if discrete else whole_range(self.system.range(form))
        if window is None or window[0] is None or window[1] is None:
            refuse("an unbounded whole number is returned or used: clamp it, min(max(v, 0), n)")
        low, high = window[0], window[1]
        if high - low >= MAX_VALUES:
            refuse(f"a whole number with {high - low + 1} values: clamp it to at most {MAX_VALUES}")
        chosen = low + self._fork((form, low, high), range(high - low + 1))
        if discrete:
            self.system.lattice_add(s, chosen, chosen)
        else:
            at = form.plus(number(chosen), MINUS)
            for side in (at, at.plus(number(1), MINUS).times(MINUS)):
                self.system.add(side)
        return chosen

    def coin(self, p: Form) -> int:
        """1 with probability p."""
        other = combine([of_rational(Fraction(1)), (_negative(p[0]), p[1])], add_up=True)
        signs = [form_is_positive(form) for form in (p, other) if form is not None]
        if other is None or Verdict.UNDECIDED in signs or (p[0] and signs[0] is Verdict.REFUTED):
            refuse("the probability of bernoulli must lie between 0 and 1")
        if other[0] and signs[1] is Verdict.REFUTED:
            refuse("the probability of bernoulli must lie between 0 and 1")
        possible = [yes for yes, form in ((1, p), (0, other)) if form[0]]
        key = (tuple(p[0].items()), tuple(p[1].items()))
        yes = self._fork(("coin", key), possible)
        weight = combine([self.weight, p if yes else other], add_up=False)
        if weight is None:
            refuse("too many different coins on one path")
        self.weight = weight
        return yes

    def largest(self, forms: Sequence[Linear]) -> int:
        """The position of the largest form on this path; the first of equal constants."""
        branches: list[list[Linear]] = []
        possible = []
        for i, winner in enumerate(forms):
            above = [(j, winner.plus(other, MINUS)) for j, other in enumerate(forms) if j != i]
            fixed = all(gap.shift > 0 or (gap.shift == 0 and i < j) for j, gap in above if not gap.terms)
            bounds = [gap for _, gap in above if gap.terms]
            branches.append(bounds)
            if fixed and self._all_allowed(bounds):
                possible.append(i)
        chosen = self._fork(tuple(forms), possible)
        for bound in branches[chosen]:
            self.system.add(bound)
        return chosen

    def _all_allowed(self, bounds: Sequence[Linear]) -> bool:
        trial = self.system.copy()
        for bound in bounds:
            if not trial.allows(bound):
                return False
            trial.add(bound)
        return True


def _negative(terms: dict[Fraction, Fraction]) -> dict[Fraction, Fraction]:
    return {exponent: -c for exponent, c in terms.items()}


def frozen(value: Any, run: Run) -> Hashable:
    """The output as a value: lists become tuples, reals RealPart, and whole numbers branch over their values."""
    if isinstance(value, Real):
        return RealPart(value.form)
    if isinstance(value, Whole):
        return value.concrete()
    if isinstance(value, tuple | list):
        return tuple(frozen(entry, run) for entry in value)
    if value is None or isinstance(value, bool | int | Fraction | str):
        return value
    kind = type(value).__name__
    instead = "ints, Fractions or text of numbers" if isinstance(value, float) else "ints, Fractions, draws, text, None"
    raise Refused(f"the output has a {kind}: return {instead}, or tuples and lists of them")


@dataclass(frozen=True)
class Explored:
    """The paths of sample(x, noise); ``complete`` unless some are unexplored, from the line ``cut_at`` on."""

    paths: tuple[Path, ...]
    complete: bool
    cut_at: str


def explore(sample: Callable[[Noise], Any], state: Callable[[], Any], most: int = MAX_PATHS) -> Explored:
    """Every path of the code, each run twice with the same answers: it must branch and return as before.

    ``state`` returns the contents of everything the code could keep between runs: they must not change.
    """
    before = state()
    found = _explore(sample, most)
    if state() != before:
        raise Refused(KEEPS)
    return found


def _explore(sample: Callable[[Noise], Any], most: int) -> Explored:
    waiting, paths = deque[list[int]]([[]]), list[Path]()
    cut_at = ""
    while waiting:
        prefix = waiting.popleft()
        run, output, line = _once(sample, list(prefix))
        again, second, _ = _once(sample, list(run.answers))
        if (run.asked, run.families, output) != (again.asked, again.families, second):
            raise Refused(KEEPS)
        for turn in range(len(prefix), len(run.asked)):
            waiting.extend([*run.answers[:turn], other] for other in range(1, run.asked[turn][1]))
        if line is not None:
            cut_at = cut_at or line
        else:
            paths.append(Path(tuple(run.families), run.system, run.weight, output))
        if len(paths) + len(waiting) > most and (line is not None or len(paths) >= most):
            return Explored(tuple(paths), False, cut_at)
    return Explored(tuple(paths), not cut_at, cut_at)


def _once(sample: Callable[[Noise], Any], answers: list[int]) -> tuple[Run, Hashable, str | None]:
    """One run: its forks, its output, and None; or where it was given up."""
    run = Run(answers)
    try:
        output = frozen(sample(Noise(run)), run)
    except TooDeep as error:
        return run, None, _line(error)
    return run, output, None


def _line(error: BaseException) -> str:
    from dpaudit.noise.linear import _HERE

    trace, found = error.__traceback__, ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith(_HERE):
            found = f"{name.rpartition('/')[2]} line {trace.tb_lineno}: "
        trace = trace.tb_next
    return found or place()
