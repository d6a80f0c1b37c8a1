"""Checks of pure differential privacy of the Laplace family, for all n, k and ε: polynomials in q = e^(−ε/s)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq_mpoly, fmpq_poly

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Statement, annotate, check, each, scan, variables
from dpaudit.mechanisms.closed_form import Ratio, at_most
from dpaudit.mechanisms.laplace import CORNER, HALF, INNER, Laplace, LSDim, LSHist, LSZhang, Monomial, cell_law
from dpaudit.posterior.model import make_model
from proofs_checks.coq import THEOREMS
from proofs_checks.points import maker, rationals
from proofs_checks.privacy.tools import epsilon_batches
from proofs_checks.setting.lemmas import moves

PRIVATE = Statement("true ε", "<=", "ε", closeness="ratio")
HALF_EPSILON = Statement("true ε", "=", "ε/2")
ONE_STEP = Ratio(-1, 0)
"""The bound of one cell: 1/q."""
AUDITED = Grid("by polynomial identities in q", n=range(1, 7), k=[2, 3, 4], eps=rationals("1 1/100 16"))
FAR = Grid("by polynomial identities in q", n=[300], k=[2, 3], eps=rationals("1/1000 64"))
CLAIMED: dict[str, Fraction | int] = {"LSZhang": 1, "LSDim": 1, "LSHist": 1}
"""Multiples of ε that the documents claim; a test changes one."""
LAPLACE: dict[str, type[Laplace]] = {"LSZhang": LSZhang, "LSDim": LSDim, "LSHist": LSHist}

n, c, o = variables("n", "c", "o")


@dataclass(frozen=True)
class Where:
    """Where an output o lies for neighboring counts c and c+1; the two laws are q^exponent · poly there."""

    name: str
    applies: Callable[[int, int, int], bool]
    first: tuple[fmpq_mpoly, fmpq_poly]
    second: tuple[fmpq_mpoly, fmpq_poly]

    def ratio(self) -> Ratio | None:
        """law of c over law of c+1 as q^a (2−q)^b, or None if the exponents do not differ by a constant."""
        difference = self.first[0] - self.second[0]
        constants = [int(difference(0, 0, 0)), int(difference(5, 3, 2))]
        if difference != constants[0] + 0 * n or constants[0] != constants[1]:
            return None
        return Ratio.of(self.first[1], self.second[1], constants[0])


ZERO = 0 * n
CASES = (
    Where("o = n", lambda n, c, o: o == n, (n - c, HALF), (n - c - 1, HALF)),
    Where("o = 0, c = 0", lambda n, c, o: n > o == c == 0, (ZERO, CORNER), (ZERO, HALF)),
    Where("o = 0, c ≥ 1", lambda n, c, o: n > o == 0 < c, (c - 1, HALF), (c, HALF)),
    Where("0 < o < c", lambda n, c, o: 0 < o < c, (c - o - 1, INNER), (c - o, INNER)),
    Where("0 < o = c", lambda n, c, o: 0 < o == c, (ZERO, INNER), (ZERO, INNER)),
    Where("c < o < n", lambda n, c, o: 0 <= c < o < n, (o - c, INNER), (o - c - 1, INNER)),
)


def inverse(ratio: Ratio) -> Ratio:
    """1/ratio."""
    return Ratio(-ratio.q, -ratio.corner)


def cell_lemma() -> Proof:
    """Returns: between counts c and c+1 the law of one noised cell changes by a factor in [q, 1/q], for all n, c, o."""
    proof = Proof().says(
        "one cell", "⌊c + Lap(s/ε)⌋ clipped into [0,n] has a law that is a polynomial in q = e^(−ε/s), 0 < q < 1"
    )
    for case in CASES:
        ratio = case.ratio()
        fact = ratio is not None and at_most(ratio, ONE_STEP) and at_most(inverse(ratio), ONE_STEP)
        proof.holds(case.name, f"law of c over law of c+1 is {_text(ratio)}, for all n, c, o: in [q, 1/q]", fact)
    proof.says("cases", "o = n; o = 0 < n with c = 0 or c ≥ 1; 0 < o < n with o < c, o = c or o > c: nothing else")
    text = "exactly one case applies and gives the law of the mechanism"
    which = "every c, o of n ≤ 8 and n = 60"
    return proof.cases("the engine's law", text, which, lambda: all(map(covered, (*range(1, 9), 60))))


def _text(ratio: Ratio | None) -> str:
    if ratio is None:
        return "not a fixed function of q"
    parts = [f"q^{ratio.q}"] if ratio.q else []
    parts += [f"(2−q)^{ratio.corner}"] if ratio.corner else []
    return "·".join(parts) or "1"


def covered(size: int) -> bool:
    """Whether exactly one case applies everywhere at n = size and agrees with the mechanism's own law."""
    for count in range(size):
        for output in range(size + 1):
            matching = [case for case in CASES if case.applies(size, count, output)]
            if len(matching) != 1:
                return False
            for (exponent, poly), at in ((matching[0].first, count), (matching[0].second, count + 1)):
                if cell_law(size, at, output) != Monomial(int(exponent(size, count, output)), poly):
                    return False
    return True


def touched(mechanism: Laplace) -> int:
    """The largest number of noised cells in which adjacent data sets differ, the counts being symbols."""
    return max(sum(step != 0 for step in move[: mechanism.noised()]) for move in moves(mechanism.model.k))


def proved(mech: str, words: str) -> Outcome:
    """The proof that the mechanism is ε-DP, with the engine's own closed forms on a grid."""
    proof = cell_lemma().says("cells", words)
    kinds = [LAPLACE[mech](make_model(3, k), Fraction(1)) for k in range(2, 11)]
    most = max(Fraction(touched(kind), kind.unit()) for kind in kinds)
    text = f"changed noised cells over s is at most {most}, and the claimed multiple of ε is {CLAIMED[mech]}"
    proof.cases("cells, counted", text, "k = 2…10; all counts and n", lambda: most <= CLAIMED[mech])
    proof.says("so", "P_x(r)/P_x′(r) ≤ (1/q)^(changed cells) = e^(ε·changed/s), at most the claimed guarantee, any k")
    proof.formal(THEOREMS[f"dp.{mech.lower()}"])
    near, far = (
        scan(PRIVATE, epsilon_batches(grid, maker(mech), lambda at: CLAIMED[mech] * at.epsilon))
        for grid in (AUDITED, FAR)
    )
    return proof.concludes(PRIVATE, "<=").settle((f"true ε in closed form: {AUDITED}", near), (f"far out: {FAR}", far))


def laplace_check(mech: str, words: str) -> None:
    """Makes the check that the mechanism is ε-DP (N0, N4 Theorem 3.1); ``words`` say which cells change."""

    @check(f"dp.{mech.lower()}", grid="for all n, k and ε", weight=2, audits=(mech, {}))
    def decide(ctx: Context) -> Outcome:
        return proved(mech, words)


laplace_check("LSZhang", "an adjacent move changes two cells by 1 each, the scale is 2/ε: s = 2")
laplace_check("LSDim", "an adjacent move changes at most two noised cells (one for k = 2), the scale is k/ε: s = k ≥ 2")
laplace_check("LSHist", "k = 2: one noised cell, s = 1; k ≥ 3: at most two of them change, s = 2")


# ------------------------------------------------------------------ N0 Algorithm 1, letter by letter

IS_DIRICHLET = Statement("the last entry of the released vector", ">", "0")
SAME_CELLS = {2: "LSDim", 3: "LSHist", 4: "LSHist"}
"""By k, the mechanism whose noised cells 1…k−1 have scale 2/ε, as in Algorithm 1; it releases a function of them."""
LITERAL = Grid(
    "cells 1…k−1 noised with scale 2/ε, by polynomial identities in q",
    n=range(1, 7),
    k=[2, 3, 4],
    eps=rationals("1 1/100 16"),
)


def literal_maker(point: Point) -> Laplace:
    """The mechanism that noises the same cells with the same scale."""
    found = LAPLACE[SAME_CELLS[point.k]](make_model(point.n, point.k), Fraction(point.eps))
    if found.unit() != 2 or found.noised() != point.k - 1:
        raise ArithmeticError("Algorithm 1 noises cells 1…k−1 with scale 2/ε")
    return found


def printed_release(prior: tuple[Fraction, ...], noised: tuple[int, ...]) -> tuple[Fraction, ...]:
    """α̃ as Algorithm 1 fills it: (0, …, 0), then entries 1…k−1."""
    found = [Fraction(0)] * len(prior)
    for i in range(len(prior) - 1):
        found[i] = prior[i] + noised[i]
    return tuple(found)


@check("dp.lszhang.literal", grid="for all n, k and ε", uses=["dp.lszhang"])
def literal(ctx: Context) -> Outcome:
    """N0 Algorithm 1 as printed, cells 1…k−1 noised and the last entry 0, is ε-DP."""
    proof = ctx.proof().using(cell_lemma()).uses("dp.lszhang", "noise of scale 2/ε on all k cells is ε-DP")
    proof.says(
        "as printed", "the last of these cells is dropped, and a constant 0 stands in its place: post-processing"
    )
    words = "at most two of the cells 1…k−1 change, s = 2; for k = 2 one of one cell"
    counts = {k: max(sum(step != 0 for step in move[: k - 1]) for move in moves(k)) for k in range(2, 11)}
    proof.cases(
        "cells, counted", words, "k = 2…10; all counts and n", counts == {2: 1, **dict.fromkeys(range(3, 11), 2)}
    )
    proof.concludes(PRIVATE, "<=")
    listed = scan(PRIVATE, epsilon_batches(LITERAL, literal_maker, lambda at: at.epsilon))
    half = Grid(n=range(1, 7), k=[2], eps=rationals("1 1/100 16"))
    tight = scan(HALF_EPSILON, epsilon_batches(half, literal_maker, lambda at: at.epsilon / 2))

    def last(at: Point) -> tuple[Fraction, Fraction]:
        return printed_release((Fraction(1),) * at.k, (at.n,) * (at.k - 1))[-1], Fraction(0)

    zero = scan(IS_DIRICHLET, each(Grid(n=[1], k=[2, 3]), lambda at: at, last, lambda at: last(at)[0] == 0))
    return annotate(
        proof.settle((f"true ε in closed form: {LITERAL}", listed)),
        ("k = 2: the true ε is exactly ε/2, so the scale could be 1/ε", tight),
        ("but what it returns is a Dirichlet distribution", zero),
    )
