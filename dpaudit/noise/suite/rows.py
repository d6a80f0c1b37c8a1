"""The rows of the suite: each mechanism with its pairs, the published figures, and the source of its laws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.noise.losses import Law
from dpaudit.noise.suite import closed, programs, special
from dpaudit.noise.suite.inputs import NOMINAL, Program, Vector, laws_of, suite_pairs

Labeled = tuple[object, object, Law, Law]
"""x, x' and their laws."""


@dataclass(frozen=True)
class Row:
    """One mechanism of the suite."""

    name: str
    definition: str
    claimed: Fraction
    cases: Callable[[], list[Labeled]]
    statdp: str = "–"
    sniper: str = "–"
    program: Program | None = None
    """The code with noise, where there is one; its law is then known for every epsilon too."""
    pairs: tuple[tuple[Vector, Vector], ...] = ()
    note: str = ""


def _coded(
    name: str, program: Program, d: int, every: bool, published: tuple[str, str] = ("–", "–"), **more: object
) -> Row:
    pairs = tuple(suite_pairs(d, every))
    claimed = more.pop("claimed", NOMINAL)
    kind = "differ in every entry" if every else "differ in one entry"
    words = f"{(program.__doc__ or '').strip()} d = {d}, pairs {kind}."

    def cases() -> list[Labeled]:
        laws = laws_of(program, pairs, NOMINAL)
        return [(x, y, laws[x], laws[y]) for x, y in pairs]

    return Row(name, words, claimed, cases, *published, program, pairs, **more)  # type: ignore[arg-type]


def _svt_6() -> list[Labeled]:
    return [(x, y, *special.svt_6_laws(x, y, NOMINAL)) for x, y in suite_pairs(10, True)]


def _geometric() -> list[Labeled]:
    law = closed.truncated_geometric
    return [(x, y, law(x), law(y)) for (x,), (y,) in suite_pairs(1, False)]


NUMERICAL = "Definition: Wang, Ding, Wang, Kifer, Zhang 2019, as DP-Sniper codes it; the published figure is for it."

ROWS: tuple[Row, ...] = (
    _coded("Laplace", programs.laplace, 1, False, ("0.1001", "0.0999")),
    Row(
        "TruncatedGeometric",
        "Balcer and Vadhan, Algorithm 4.8, counts 0..5, k = ⌈ln(2/ε)⌉ = 3. d = 1, pairs differ in one entry.",
        NOMINAL,
        _geometric,
        "0.1179",
        "0.1178",
        note="With the natural logarithm, as the suite codes it, k is too small for ε; the paper has log to base 2.",
    ),
    _coded("NoisyHist1", programs.noisy_hist_1, 5, False, ("0.0999", "0.1000")),
    _coded("NoisyHist2", programs.noisy_hist_2, 5, False, ("10.03", "4.6026")),
    _coded("ReportNoisyMax1", programs.noisy_max_1, 5, True, ("0.0926", "0.0948")),
    _coded("ReportNoisyMax2", programs.noisy_max_2, 5, True, ("0.1001", "0.1002")),
    _coded("ReportNoisyMax3", programs.noisy_max_3, 5, True, ("0.2001", "0.2510")),
    _coded("ReportNoisyMax4", programs.noisy_max_4, 5, True, ("0.1998", "0.3556")),
    _coded("SVT1", programs.svt_1, 10, True, ("0.0328", "0.0880")),
    _coded("SVT2", programs.svt_2, 10, True, ("0.0433", "0.0875")),
    _coded("SVT3", programs.svt_3, 10, True, ("0.1986", "0.1844")),
    _coded("SVT4", programs.svt_4, 10, True, ("0.1738", "0.1718")),
    _coded("SVT5", programs.svt_5, 10, True, ("∞", "1.7626")),
    Row(
        "SVT6",
        f"{(programs.svt_6.__doc__ or '').strip()} d = 10, pairs differ in every entry.",
        NOMINAL,
        _svt_6,
        "0.3256",
        "0.2720",
        pairs=tuple(suite_pairs(10, True)),
        note="Queries with the same two answers are interchangeable: at most 36 classes stand for 1024 outputs.",
    ),
    _coded("LaplaceParallel", programs.laplace_parallel, 1, False, ("0.0143", "0.0322")),
    _coded("PrefixSum", programs.prefix_sum, 10, True, ("0.3522", "0.5795")),
    _coded("NumericalSVT", programs.numerical_svt, 10, True, ("–", "0.0368"), note=NUMERICAL),
    Row(
        "SVT34Parallel",
        "Algorithms 3 and 4 of Lyu, Su, Li side by side on the same queries, c = 2, t = 1. d = 10, pairs differ in "
        "every entry.",
        2 * NOMINAL,
        list,
        "0.2214",
        "0.2638",
        pairs=tuple(suite_pairs(10, True)),
        note="The two losses add for each pair; in SVT3 two real outputs depend on each other (special.py has why).",
    ),
    _coded("SmartSum", programs.smart_sum, 10, False, claimed=2 * NOMINAL),
    _coded("GapSVT", programs.gap_svt, 10, True),
    _coded("AdaptiveSVT", programs.adaptive_svt, 5, True),
)
"""The rows, in the order of the published tables; Gaussian rows are in gaussian_rows.py, and the local protocols in
studies/suite/local_rows.py."""


def named(rows: Sequence[Row], wanted: Sequence[str]) -> list[Row]:
    """The rows with these names, in the order of the suite; all if there are no names."""
    return [row for row in rows if not wanted or row.name in wanted]
