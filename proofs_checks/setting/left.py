"""The halves of the draft's Statements I and II that speak of x ≤ x₀: as printed, and the mirror image of the first."""

from __future__ import annotations

from collections.abc import Callable

from dpaudit.claims import Context, Grid, Outcome, Step, annotate, check, scan, step
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Model
from proofs_checks.points import model_at
from proofs_checks.setting.exact import local_exact
from proofs_checks.setting.lemmas import outward_lemma
from proofs_checks.setting.ls import UNIFORM, at, balanced_points

FALLS = Statement("H(x,x+1)", ">", "H(x+1,x+2)")
LEFT_STEP = Statement("LS(x)", "=", "H(x,x−1)")
SIZES = (*range(2, 41), 300)


def printed_last(n: int) -> int:
    """The last x of Statement I's second half as printed: x₀, the upper one for odd n, and x+2 ≤ n."""
    return min(balanced_points(n)[-1], n - 2)


def repaired_last(n: int) -> int:
    """The last x with 2x + 2 < n: both pairs lie to the left of the middle."""
    return (n - 3) // 2


def last_upper(n: int) -> int:
    """The balanced point to which Statement II's second half is claimed: n/2, or (n−1)/2 for odd n."""
    return n // 2


def fall_batches(last: Callable[[int], int], sizes: tuple[int, ...] = SIZES) -> Batches:
    """Yields H(x,x+1) against H(x+1,x+2) for x = 0…last(n); equality is decided on BC²."""

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x in range(last(model.n) + 1):
            a, b, c = (at(model, x + i) for i in range(3))
            yield x, h.between(a, b), h.between(b, c)

    def tie(model: Model, x: int) -> bool:
        a, b, c = (at(model, x + i) for i in range(3))
        return bc_squared(model, a, b) == bc_squared(model, b, c)

    def steps(model: Model, x: int) -> list[Step]:
        a, b, c = (at(model, x + i) for i in range(3))
        known = {"H(x,x+1)²": (a, b), "H(x+1,x+2)²": (b, c)}
        return [
            step(name, f"1 − √BC² of {p} and {q}", f"1 − √({bc_squared(model, p, q)})")
            for name, (p, q) in known.items()
        ]

    return over(Grid(n=sizes, prior=UNIFORM), model_at, sides, ("x",), tie, steps)


@check("ls.statement-1.left", grid=Grid("every x ≤ x₀ with x+2 ≤ n", n=SIZES, prior=UNIFORM))
def statement_1_left(ctx: Context) -> Outcome:
    """H(x,x+1) > H(x+1,x+2) for every x ≤ x₀, prior (1,1) (D2 Statement I, second line)."""
    proof = outward_lemma().says("x ≤ (n−3)/2", "2x + 2 ≤ n − 1, so u − v = 2x + 2 − n < 0 for α₁ = α₂, at every n")
    where = "2x + 2 − n < 0 at the last claimed x"
    proof.cases("x", where, "n ≤ 1000", lambda: all(2 * repaired_last(n) + 2 - n < 0 for n in range(1, 1001)))
    repaired = proof.concludes(FALLS, ">").settle(("", scan(FALLS, fall_batches(repaired_last))))
    return annotate(
        scan(FALLS, fall_batches(printed_last)),
        ("for x ≤ (n−3)/2, the mirror image of the first half", repaired),
    )


@check("ls.statement-2.left", grid="for all n ≥ 1; listed for n = 1…40, 200, 201")
def statement_2_left(ctx: Context) -> Outcome:
    """LS(x) = H(x,x−1) for 0 < x ≤ x₀, prior (1,1) (D2 Statement II, second line)."""
    proof = outward_lemma()
    proof.says("LS(x)", "max of H(x−1,x) and H(x,x+1); the two pairs of the lemma, one step lower: u − v = 2x − n")
    proof.says("x ≤ n/2", "u − v ≤ 0, so H(x−1,x) ≥ H(x,x+1), with equality exactly at x = n/2")
    start = "2x₀ − n ≤ 0 at the claimed end x₀"
    proof.cases("x₀", start, "n ≤ 1000", lambda: all(2 * last_upper(n) - n <= 0 for n in range(1, 1001)))
    listed = scan(LEFT_STEP, left_batches((*range(1, 41), 200, 201)))
    words = "exactly, on BC²: every 0 < x ≤ n/2, n = 1…40, 200, 201"
    return proof.concludes(LEFT_STEP, "=").settle((words, listed))


def left_batches(sizes: tuple[int, ...]) -> Batches:
    """Yields LS(x) against H(x,x−1) for 0 < x ≤ x₀; equality is decided on BC²."""

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x in range(1, last_upper(model.n) + 1):
            yield x, h.local(at(model, x)), h.between(at(model, x), at(model, x - 1))

    def tie(model: Model, x: int) -> bool:
        return local_exact(model, at(model, x)) == bc_squared(model, at(model, x), at(model, x - 1))

    return over(Grid(n=sizes, prior=UNIFORM), model_at, sides, ("x",), tie)
