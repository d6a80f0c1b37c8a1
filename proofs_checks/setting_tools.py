"""What the checks on the setting and on privacy share: exact order of distances, level sets, and proofs in steps.

g(a) = Γ(a+½)/√(Γ(a)Γ(a+1)) is the factor of one cell whose parameter moves from a to a+1, so that adjacent data sets
x and x′ = x − e_j + e_i have BC(x,x′) = g(α_i + x_i)·g(α_j + x_j − 1), for every k and every prior.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

from flint import fmpq, fmpq_mpoly
from flint.utils.flint_exceptions import DomainError

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Algebraic, bc_squared
from dpaudit.posterior.model import Histogram, Model, make_model, neighbours
from proofs_checks.algebra import variables
from proofs_checks.core import Statement
from proofs_checks.outcome import BY_ALGEBRA, NOTHING, Outcome, Step, by_algebra

HALF = Fraction(1, 2)


def g(a: Fraction | int) -> Ball:
    """Returns a ball that contains g(a) = Γ(a+½)/√(Γ(a)Γ(a+1))."""
    at = Fraction(a)
    return ball(at + HALF).gamma() / (ball(at).gamma() * ball(at + 1).gamma()).sqrt()


def root(value: Fraction) -> Fraction | None:
    """Returns √value if it is rational."""
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    return Fraction(top, bottom) if (top * top, bottom * bottom) == (value.numerator, value.denominator) else None


def distance(bc2: Algebraic) -> Ball:
    """Returns a ball that contains H = √(1 − BC) from BC² exactly given; exactly it where that is rational."""
    bc = None if bc2.constants else root(Fraction(int(bc2.rational.p), int(bc2.rational.q)))
    exact = None if bc is None else root(1 - bc)
    if exact is not None:
        return ball(exact)
    return (1 - bc2.ball().sqrt()).sqrt()


# ------------------------------------------------------------------ exact order


def certainly_less(a: Algebraic, b: Algebraic) -> bool:
    """Returns whether a < b, decided exactly: equal objects are equal, others differ at some precision."""
    if a == b:
        return False
    verdict, bits = balls.decide(lambda: balls.less(a.ball(), b.ball()))
    if verdict is Verdict.UNDECIDED:
        raise balls.PrecisionExhausted(bits)
    return verdict is Verdict.PROVED


def largest(values: Sequence[Algebraic]) -> Algebraic:
    """Returns the largest, exactly."""
    best = values[0]
    for value in values[1:]:
        if certainly_less(best, value):
            best = value
    return best


def smallest(values: Sequence[Algebraic]) -> Algebraic:
    """Returns the smallest, exactly."""
    best = values[0]
    for value in values[1:]:
        if certainly_less(value, best):
            best = value
    return best


def local_exact(model: Model, x: Histogram) -> Algebraic:
    """Returns BC² of the pair that attains LS(x) = max H(x,x′): LS(x) = √(1 − √that), exactly."""
    return smallest([bc_squared(model, x, y) for y in neighbours(x)])


@dataclass(frozen=True)
class Level:
    """All candidates at one distance from x; ``bc2`` is BC² there, exactly."""

    bc2: Algebraic
    members: tuple[Histogram, ...]

    @property
    def count(self) -> int:
        """Returns C, the number of candidates at this distance."""
        return len(self.members)

    def distance(self) -> Ball:
        """Returns a ball that contains the distance; exactly 0 for the candidate BI(x) itself."""
        return balls.zero() if self.bc2.rational == 1 and not self.bc2.constants else distance(self.bc2)


def levels(model: Model, x: Histogram) -> list[Level]:
    """Returns the level sets of H(x, ·), the nearest first; ties are exact."""
    groups: dict[Algebraic, list[Histogram]] = {}
    for r in model.histograms:
        groups.setdefault(bc_squared(model, x, r), []).append(r)
    found = [Level(bc2, tuple(members)) for bc2, members in groups.items()]

    def attempt() -> list[Level] | None:
        ordered = sorted(((float(-level.bc2.ball()), i) for i, level in enumerate(found)))
        result = [found[i] for _, i in ordered]
        values = [level.bc2.ball() for level in result]
        strict = all(balls.certainly_less(b, a) for a, b in pairwise(values))
        return result if strict else None

    return balls.refine(attempt, 128, 4096)[0]


# ------------------------------------------------------------------ proofs


IMPLIED = {"<": ("<", "<=", "!="), "<=": ("<=",), "=": ("=", "<=", ">="), ">": (">", ">=", "!="), ">=": (">=",)}
"""What a proved relation implies; "!=" implies itself alone."""
CHECKED, BY_HAND, TEXTBOOK, FAILED = "checked", "by hand", "textbook", "FAILED"
NOT_THROUGH = "the proof does not go through at"
Fact = bool | Callable[[], bool]


@dataclass
class Proof:
    """The lines of a proof, each with its tag; a checked line that fails leaves the claim UNDECIDED.

    [checked]: an exact identity or comparison, by machine, for all values. [checked on cases: …]: finitely many
    instances. [by hand]: reasoning or a definition that no machine checks. [textbook]: a known theorem.
    """

    steps: list[Step] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def cites(self, label: str, text: str) -> None:
        """Adds a line of reasoning, or a definition, that no machine checks."""
        self._add(label, text, BY_HAND)

    def knows(self, label: str, text: str) -> None:
        """Adds a theorem of the textbooks."""
        self._add(label, text, TEXTBOOK)

    def holds(self, label: str, text: str, fact: Fact) -> None:
        """Adds a line that was computed for all values: ``fact`` says whether it came out."""
        self._decided(label, text, fact, CHECKED)

    def cases(self, label: str, text: str, which: str, fact: Fact) -> None:
        """Adds a line that was computed on finitely many instances."""
        self._decided(label, text, fact, f"{CHECKED} on cases: {which}")

    def concludes(self, statement: Statement, relation: str) -> None:
        """Adds: the proved ``relation`` implies the one that the statement claims."""
        claim = f"{statement.left} {statement.relation} {statement.right}"
        implied = statement.relation in IMPLIED.get(relation, (relation,))
        self.holds("the claim", f"{claim}: its relation is the {relation} that was shown, or weaker", implied)

    def outcome(self, finding: str = "") -> Outcome:
        """Returns PROVED for all n by algebra, or UNDECIDED if a step failed."""
        if self.failed:
            words = f"{NOT_THROUGH}: {', '.join(self.failed)}"
            return Outcome(Verdict.UNDECIDED, NOTHING, steps=tuple(self.steps), finding=words)
        return by_algebra(self.steps, finding)

    def _add(self, label: str, text: str, tag: str) -> None:
        self.steps.append(Step(label, "", f"{text}  [{tag}]"))

    def _decided(self, label: str, text: str, fact: Fact, tag: str) -> None:
        came_out = fact if isinstance(fact, bool) else _evaluated(fact)
        self._add(label, text, tag if came_out else FAILED)
        if not came_out:
            self.failed.append(label)


def _evaluated(fact: Callable[[], bool]) -> bool:
    """Returns what ``fact`` says; a formula that is not one for all values (it asks a symbol for its size) fails."""
    try:
        return bool(fact())
    except (TypeError, DomainError):
        return False


def with_sanity(outcome: Outcome, grid: Outcome, words: str) -> Outcome:
    """Returns the proof with a grid on top; a grid that contradicts the proof takes its place.

    A proof that failed stays UNDECIDED where the grid holds; its failure is said in either case.
    """
    if grid.verdict is not Verdict.PROVED:
        return grid.having(outcome.finding if NOT_THROUGH in outcome.finding else "")
    return outcome.having(parts=[grid.part(words)])


def found(words: str, outcome: Outcome) -> str:
    """Returns "words: PROVED (by algebra)", for a finding that is computed and not typed in."""
    how = "by algebra" if outcome.establishes == BY_ALGEBRA else outcome.establishes
    return f"{words}: {outcome.verdict.value} ({how})"


def positive(poly: fmpq_mpoly) -> bool:
    """Returns True only if poly > 0 wherever its variables are > 0: it is not 0 and has no negative coefficient."""
    coefficients = list(poly.coeffs())
    return bool(coefficients) and all(c > 0 for c in coefficients)


def moves(k: int) -> list[tuple[int, ...]]:
    """Returns x′ − x for every neighbour x′ of x = (c₁, …, c_k), the counts being symbols: any counts, any n."""
    x = variables(*(f"c{i}" for i in range(k)))
    return [tuple(_constant(b - a) for a, b in zip(x, y, strict=True)) for y in neighbours(x)]  # type: ignore[arg-type]


def _constant(poly: fmpq_mpoly) -> int:
    """Returns the value of a polynomial that has one; refuses any other."""
    if not poly.is_constant():
        raise TypeError(f"{poly} is not a constant")
    return int(fmpq(poly.leading_coefficient()).p) if poly else 0


def step_of_g(a: Any) -> tuple[Any, Any]:
    """Returns g(a+1)²/g(a)² = (a+½)²/(a(a+1)) as numerator and denominator."""
    return (2 * a + 1) ** 2, 4 * a * (a + 1)


STEP_CASES = ((5, 1, 1), (6, Fraction(1, 3), 2), (300, Fraction(1, 1000), 7))


def engine_steps() -> bool:
    """Returns whether the engine's exact BC² of neighbouring pairs of k = 2 have the ratio that step_of_g says."""
    for n, first, second in STEP_CASES:
        model = make_model(n, prior=(first, second))
        for x in range(0, n - 1, max(1, n // 5)):
            low, high = (bc_squared(model, (x + i, n - x - i), (x + i + 1, n - x - i - 1)) for i in (0, 1))
            u, v = Fraction(first) + x, Fraction(second) + n - x - 2
            (a, b), (c, d) = step_of_g(u), step_of_g(v)
            ratio = high.rational / low.rational
            if low.constants != high.constants or Fraction(int(ratio.p), int(ratio.q)) != Fraction(a) * d / (b * c):
                return False
    return True


def adjacent_lemma(proof: Proof) -> None:
    """Adds: BC of adjacent data sets is a product of two values of g, and g rises strictly to 1."""
    (a,) = variables("a")
    top, bottom = step_of_g(a)
    proof.cites("adjacent", "BC(x, x − e_j + e_i) = g(α_i + x_i)·g(α_j + x_j − 1), g(a) = Γ(a+½)/√(Γ(a)Γ(a+1))")
    which = "n = 5, 6, 300, three priors, exactly"
    proof.cases("the engine's BC²", "of x, x+1 and of x+1, x+2 has the ratio that g gives", which, engine_steps)
    rises = "g(a+1)²/g(a)² = (a+½)²/(a(a+1)) by Γ(z+1) = zΓ(z), and (2a+1)² − 4a(a+1) = 1 > 0: g(a+1) > g(a)"
    proof.holds("one step of g", rises, lambda: top - bottom == 1 + 0 * a and positive(bottom))
    proof.knows("limit of g", "a/(a+½) ≤ g(a)² < 1 by the log-convexity of Γ, so g(a) → 1")
    proof.cites(
        "g rises", "g(a)² = Π over j ≥ 0 of 1/(1 + 1/(4(a+j)(a+j+1))), and every factor rises in the real a > 0"
    )


def outward_lemma(proof: Proof) -> None:
    """Adds: for k = 2 the distance of x and x+1 grows strictly away from the middle."""
    u, v = variables("u", "v")
    proof.cites("two pairs", "H(x,x+1) has BC = g(u)·g(v+1), H(x+1,x+2) has g(u+1)·g(v); u = α₁+x, v = α₂+n−x−2")
    (a, b), (c, d) = step_of_g(u), step_of_g(v)
    text = "squared, it is N/D with N − D = −4(u − v)(u + v + 1): < 1 exactly where u > v, u − v = 2x + 2 − n + α₁ − α₂"
    proof.holds("their ratio", text, a * d - b * c == -4 * (u - v) * (u + v + 1) and positive(b * c))


def farther_lemma(proof: Proof) -> None:
    """Adds: H(x, ·) grows strictly when a cell is moved one more step away from its value in x."""
    a, s, w = variables("a", "s", "w")
    half = fmpq(1, 2)
    proof.knows("bounds of g", "a/(a+½) ≤ g(a)² < 1 by the log-convexity of Γ")
    proof.cites("one cell", "s steps up from parameter a its factor is Γ(a+s/2)/√(Γ(a)Γ(a+s)), s down the same with −s")
    proof.cites("one more step up", "squared it is Γ(b+½)²/(Γ(b)²(a+s)) = g(b)²·b/(a+s) with b = a + s/2")
    b = a + s * half
    proof.holds("which is < 1", "g(b)² < 1 and (a+s) − b = s/2 ≥ 0", (a + s) - b == s * half)
    down = "squared it is ≤ (w−s/2−1)·w/(w−½)² with w = a − s/2, as g(c)² ≥ c/(c+½) at c = w − ½"
    proof.cites("one more step down", down)
    gap = (w - half) ** 2 - w * (w - s * half - 1)
    fact = gap == w * s * half + fmpq(1, 4) and positive(gap)
    proof.holds("which is < 1 too", "(w−½)² − w(w−s/2−1) = ws/2 + ¼ > 0", fact)
