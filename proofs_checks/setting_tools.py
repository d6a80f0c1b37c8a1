"""What the checks on the setting and on privacy share: exact order of distances, level sets, and proofs in steps.

g(a) = Γ(a+½)/√(Γ(a)Γ(a+1)) is the factor of one cell whose parameter moves from a to a+1, so that adjacent data sets
x and x′ = x − e_j + e_i have BC(x,x′) = g(α_i + x_i)·g(α_j + x_j − 1), for every k and every prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from flint import fmpq, fmpq_mpoly

from dpaudit import balls
from dpaudit.balls import Ball, ball
from dpaudit.distances import Algebraic, bc_squared
from dpaudit.model import Histogram, Model, neighbours
from dpaudit.verdict import Verdict
from proofs_checks.algebra import variables
from proofs_checks.outcome import BY_ALGEBRA, NOTHING, Outcome, Step, by_algebra

HALF = Fraction(1, 2)


def g(a: Fraction | int) -> Ball:
    """Returns a ball that contains g(a) = Γ(a+½)/√(Γ(a)Γ(a+1))."""
    at = Fraction(a)
    return ball(at + HALF).gamma() / (ball(at).gamma() * ball(at + 1).gamma()).sqrt()


def distance(bc2: Algebraic) -> Ball:
    """Returns a ball that contains H = √(1 − BC) from BC² exactly given."""
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


@dataclass
class Proof:
    """The steps of a proof. Whatever a machine can check is checked; a step that fails leaves the claim UNDECIDED."""

    steps: list[Step] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def cites(self, label: str, text: str) -> None:
        """Adds a step that is a definition, a conclusion in words or a textbook fact."""
        self.steps.append(Step(label, "", text))

    def holds(self, label: str, text: str, fact: bool) -> None:
        """Adds a step that was computed: ``fact`` says whether it came out."""
        self.steps.append(Step(label, "", f"{text}  [{'checked' if fact else 'FAILED'}]"))
        if not fact:
            self.failed.append(label)

    def outcome(self, finding: str = "") -> Outcome:
        """Returns PROVED for all n by algebra, or UNDECIDED if a step failed."""
        if self.failed:
            words = f"the proof does not go through at: {', '.join(self.failed)}"
            return Outcome(Verdict.UNDECIDED, NOTHING, steps=tuple(self.steps), finding=words)
        return by_algebra(self.steps, finding)


def with_sanity(outcome: Outcome, grid: Outcome, words: str) -> Outcome:
    """Returns the proof with a grid on top; a grid that contradicts the proof takes its place."""
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    if grid.verdict is not Verdict.PROVED:
        return grid
    return outcome.having(parts=[grid.part(words)])


def found(words: str, outcome: Outcome) -> str:
    """Returns "words: PROVED (by algebra)", for a finding that is computed and not typed in."""
    how = "by algebra" if outcome.establishes == BY_ALGEBRA else outcome.establishes
    return f"{words}: {outcome.verdict.value} ({how})"


def positive(poly: fmpq_mpoly) -> bool:
    """Returns True only if poly > 0 wherever its variables are > 0: it is not 0 and has no negative coefficient."""
    coefficients = list(poly.coeffs())
    return bool(coefficients) and all(c > 0 for c in coefficients)


def adjacent_lemma(proof: Proof) -> None:
    """Adds: BC of adjacent data sets is a product of two values of g, and g rises strictly to 1."""
    (a,) = variables("a")
    proof.cites("adjacent", "BC(x, x − e_j + e_i) = g(α_i + x_i)·g(α_j + x_j − 1), g(a) = Γ(a+½)/√(Γ(a)Γ(a+1))")
    fact = 4 * (a + fmpq(1, 2)) ** 2 == 4 * a * (a + 1) + 1
    proof.holds("one step of g", "g(a+1)²/g(a)² = (a+½)²/(a(a+1)) = 1 + 1/(4a(a+1))", fact)
    proof.cites("limit of g", "a/(a+½) ≤ g(a)² < 1 by the log-convexity of Γ, so g(a) → 1")
    proof.cites(
        "g rises", "g(a)² = Π over j ≥ 0 of 1/(1 + 1/(4(a+j)(a+j+1))), and every factor rises in the real a > 0"
    )


def outward_lemma(proof: Proof) -> None:
    """Adds: for k = 2 the distance of x and x+1 grows strictly away from the middle."""
    u, v = variables("u", "v")
    proof.cites("two pairs", "H(x,x+1) has BC = g(u)·g(v+1), H(x+1,x+2) has g(u+1)·g(v); u = α₁+x, v = α₂+n−x−2")
    proof.cites(
        "their ratio", "squared it is (1 + 1/(4u(u+1))) / (1 + 1/(4v(v+1))), which is < 1 where u(u+1) > v(v+1)"
    )
    fact = u * (u + 1) - v * (v + 1) == (u - v) * (u + v + 1)
    proof.holds("the sign", "u(u+1) − v(v+1) = (u − v)(u + v + 1): the sign of u − v = 2x + 2 − n + α₁ − α₂", fact)


def farther_lemma(proof: Proof) -> None:
    """Adds: H(x, ·) grows strictly when a cell is moved one more step away from its value in x."""
    s, w = variables("s", "w")
    half = fmpq(1, 2)
    proof.cites("bounds of g", "a/(a+½) ≤ g(a)² < 1 by the log-convexity of Γ")
    up = "the factor of a cell of x with parameter a, s+1 steps up over s steps up, squared"
    proof.cites("one more step up", f"{up}: g(b)²·b/(b + s/2) with b = a + s/2, which is < 1")
    down = "(w−s/2−1)/(c·g(c)²) ≤ (w−s/2−1)·w/(w−½)² with w = a − s/2, c = w − ½"
    fact = (w - half) ** 2 - w * (w - s * half - 1) == w * s * half + fmpq(1, 4) and positive(w * s * half + fmpq(1, 4))
    proof.holds("one more step down", f"the same down: {down}, which is < 1: (w−½)² − w(w−s/2−1) = ws/2 + ¼ > 0", fact)
