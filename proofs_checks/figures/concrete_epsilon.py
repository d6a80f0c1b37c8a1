"""Check on Figure 6 of P1 and of A3: the true epsilon stays below the nominal one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.claims import Batch, Context, Grid, Outcome, Statement, check, scan, single
from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.mechanisms.exponential import MH, Rates
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers.balls import ball
from dpaudit.posterior.model import make_model
from dpaudit.posterior.scores import Score
from dpaudit.posterior.sensitivity import exp_smooth_all, local_all
from proofs_checks.privacy.tools import loss_steps, true_epsilon

TRUE_EPSILON = Statement("true ε", "<", "nominal ε")
DELTA = Fraction(1, 2000)
CONCRETE = (("MHdelta", Fraction(4, 5)), ("MHdelta", Fraction(1)), ("MH", Fraction(1)))


@dataclass(frozen=True)
class AsTabulated(MHdelta):
    """MHdelta with the exponent −εH/S_exp that the printed tables need, instead of −εH/(2S_exp)."""

    name: ClassVar[str] = "MHdelta with −εH/S_exp"

    def rates(self, h: Score) -> Rates:
        """epsilon / S_exp(x)."""
        return Rates(h, 2 * self.epsilon, exp_smooth_all(self.model, local_all(h), self.gamma()))


def mechanism(name: str, n: int, eps: Fraction) -> PosteriorMechanism:
    """The mechanism of Figure 6: prior (1,1), δ = 0.0005 where there is one, γ = 1."""
    kind = next(kind for kind in (AsTabulated, MHdelta, MH) if kind.name == name)
    return kind(make_model(n), eps, Fraction(1) if kind is MH else DELTA)


def batch(name: str, n: int, eps: Fraction) -> Batch:
    """true ε against nominal ε for one mechanism and n."""
    subject = mechanism(name, n, eps)
    where = {"mechanism": name, "n": n, "prior": (1, 1), "eps": eps}
    return single(where, lambda: (true_epsilon(subject, "fast"), ball(eps)), steps=lambda: loss_steps(subject))


def sizes(ctx: Context) -> Iterable[int]:
    """The values of n, each once."""
    return dict.fromkeys(point.n for point in ctx.grid)


ALL = Grid("every ordered adjacent pair and every output", n=range(90, 181), mechanism=CONCRETE)


@check("fig.concrete-epsilon", grid=ALL, weight=4)
def concrete_epsilon(ctx: Context) -> Outcome:
    """True ε < nominal ε for n = 90…180 (P1 Fig. 6: MHdelta, ε = 0.8; A3 Fig. 6: ε = 1, MHdelta and MH)."""
    outcome = scan(TRUE_EPSILON, (batch(name, n, eps) for n in sizes(ctx) for name, eps in CONCRETE))
    tabulated = scan(TRUE_EPSILON, [batch(AsTabulated.name, n, Fraction(4, 5)) for n in sizes(ctx)])
    return outcome.having(parts=[tabulated.part("the same with the exponent that reproduces Tables 1 and 2")])
