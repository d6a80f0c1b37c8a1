"""Every claim of the paper, decided; E = e^ε, so that the truth has probability E/(1+E) and a lie 1/(1+E)."""

from dpaudit.claims import Context, Grid, Outcome, Proof, Statement, check, each, scan, search, step, variables
from dpaudit.numbers.balls import ball

PRIVATE = Statement("truth / lie", "<=", "e^ε")
VARIANCE = Statement("p(1−p)/(n(2p−1)²)", "<=", "1/n")
HONEST = Statement("probability of a lie", "<", "1/100")
EPS = [1, 2, 3, 4, 5]


def lie(eps):
    return 1 / (1 + ball(eps).exp())


@check("rr.private", grid=Grid(eps=EPS))
def private(ctx: Context) -> Outcome:
    (e,) = variables("E")
    truth, total = e, 1 + e
    proof = Proof().says(
        "n reports", "they are independent, and a neighbor changes one of them: its factor is the whole"
    )
    proof.equal("odds", "(1+E)·truth = E·(1+E)·lie, lie = 1 − truth", truth, e * (total - truth))
    proof.concludes(PRIVATE, "=")
    sides = lambda at: ((1 - lie(at.eps)) / lie(at.eps), ball(at.eps).exp())  # noqa: E731
    return proof.settle(("", scan(PRIVATE, each(ctx.grid, lambda point: point, sides, lambda at: True))))


@check("rr.variance", grid=Grid(n=range(1, 4), eps=[1, "1/2"]))
def variance(ctx: Context) -> Outcome:
    from fractions import Fraction

    def sides(at):
        p = 1 - lie(Fraction(at.eps))
        return p * (1 - p) / (at.n * (2 * p - 1) ** 2), ball(Fraction(1, at.n))

    return scan(VARIANCE, each(ctx.grid, lambda point: point, sides))


@check("rr.honest", grid=Grid(eps=EPS))
def honest(ctx: Context) -> Outcome:
    steps = lambda at: [step("a lie", "1/(1+e^ε)", lie(at.eps))]  # noqa: E731
    return search(HONEST, each(ctx.grid, lambda point: point, lambda at: (lie(at.eps), ball(1) / 100), steps=steps))
