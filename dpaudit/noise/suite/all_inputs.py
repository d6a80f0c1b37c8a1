"""The true epsilon over all real query vectors at distance <= 1 in every entry: ALL_INPUTS.md proves the bounds.

Each answer has both halves: a proven upper bound, and a law whose loss equals it or tends to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.noise import losses
from dpaudit.noise.suite import programs
from dpaudit.noise.suite.inputs import NOMINAL, Program, Vector, law_of
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, exact

FAR = 20_000


@dataclass(frozen=True)
class AllInputs:
    """sup over all inputs = ``value``; ``reached`` encloses the loss at (x, x') and the output, at most the value."""

    name: str
    value: Fraction
    attained: bool
    rule: str
    x: Vector
    x_prime: Vector
    reached: Enclosure

    def to_dict(self) -> dict[str, Any]:
        """The row for JSON."""
        return {
            "epsilon": str(self.value),
            "attained": self.attained,
            "because": self.rule,
            "x": list(self.x),
            "x_prime": list(self.x_prime),
            "loss_there": self.reached.to_dict(),
        }


LAST = (FAR,) * 9
CASES: dict[str, tuple[Program, Fraction, str, Vector, Vector]] = {
    "Laplace": (programs.laplace, NOMINAL, "1/s", (1,), (0,)),
    "NoisyHist1": (programs.noisy_hist_1, NOMINAL, "1/s", (1,) * 5, (0, 1, 1, 1, 1)),
    "NoisyHist2": (programs.noisy_hist_2, Fraction(10), "1/s", (1,) * 5, (0, 1, 1, 1, 1)),
    "ReportNoisyMax1": (programs.noisy_max_1, NOMINAL, "2/s", (-FAR, 0, 0, 0, 0), (-FAR - 1, 1, 1, 1, 1)),
    "ReportNoisyMax2": (programs.noisy_max_2, NOMINAL, "2/s", (1, 1, 1, 1, 1), (0, 2, 2, 2, 2)),
    "ReportNoisyMax3": (programs.noisy_max_3, Fraction(1, 4), "5/s", (1,) * 5, (2,) * 5),
    "SVT1": (programs.svt_1, NOMINAL, "1/s_T + 2/s_Q", (*LAST, 0), (*(q + 1 for q in LAST), -1)),
    "SVT2": (programs.svt_2, NOMINAL, "1/s_T + 2/s_Q", (*LAST, 0), (*(q + 1 for q in LAST), -1)),
    "SVT3": (programs.svt_3, Fraction(1, 2), "10/s_Q", (1,) * 10, (2,) * 10),
    "SVT4": (programs.svt_4, Fraction(7, 40), "1/s_T + 2/s_Q", (*LAST, 0), (*(q + 1 for q in LAST), -1)),
    "LaplaceParallel": (programs.laplace_parallel, NOMINAL, "20/s", (1,), (0,)),
    "PrefixSum": (programs.prefix_sum, Fraction(1), "10/s", (1,) * 10, (2,) + (0,) * 9),
    "SVT6": (
        programs.svt_6,
        Fraction(1, 2),
        "10/s_Q",
        (FAR,) * 5 + (-FAR,) * 5,
        (FAR + 1,) * 5 + (-FAR - 1,) * 5,
    ),
}
"""Row -> program, supremum, rule, and inputs where it is reached or nearly so."""


def over_all_inputs(name: str) -> AllInputs | None:
    """The supremum over all inputs, with the exact loss at inputs that reach it or come close; None where unknown."""
    if name not in CASES:
        return None
    program, value, rule, x, y = CASES[name]
    with balls.precision(256):
        if name == "SVT6":
            from dpaudit.noise.suite.special import svt_6_laws

            mine, theirs = svt_6_laws(x, y, NOMINAL)
        else:
            mine, theirs = law_of(program, x, NOMINAL), law_of(program, y, NOMINAL)
        _, best = losses.largest([(None, peak) for peak in losses.peaks(mine, theirs) if not peak.infinite])
        reached = balls.enclosure(best.loss, 12, least=0) if best.known is None else exact(best.known, 12)
    if reached is None or reached.above(value):
        raise ArithmeticError(f"{name}: a loss above its proved bound")
    return AllInputs(name, value, best.known == value, rule, x, y, reached)
