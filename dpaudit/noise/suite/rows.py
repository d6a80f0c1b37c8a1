"""The rows of the suite: what each mechanism is, its pairs, what was published, and how its laws are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.noise.losses import Law
from dpaudit.noise.suite import closed, programs, special
from dpaudit.noise.suite.inputs import NOMINAL, Program, Vector, laws_of, suite_pairs
from dpaudit.numbers.exponentials import Exponentials, Form, of_rational

Labelled = tuple[object, object, Law, Law]
"""x, x' and their laws."""


@dataclass(frozen=True)
class Row:
    """One mechanism of the suite."""

    name: str
    definition: str
    claimed: Fraction
    cases: Callable[[], list[Labelled]]
    statdp: str = "–"
    sniper: str = "–"
    program: Program | None = None
    """The code with noise, where the row has one; its law is then known for every epsilon too."""
    pairs: tuple[tuple[Vector, Vector], ...] = ()
    note: str = ""


def _coded(
    name: str, program: Program, d: int, every: bool, published: tuple[str, str] = ("–", "–"), **more: object
) -> Row:
    pairs = tuple(suite_pairs(d, every))
    claimed = more.pop("claimed", NOMINAL)
    kind = "differ in every entry" if every else "differ in one entry"
    words = f"{(program.__doc__ or '').strip()} d = {d}, pairs {kind}."

    def cases() -> list[Labelled]:
        laws = laws_of(program, pairs, NOMINAL)
        return [(x, y, laws[x], laws[y]) for x, y in pairs]

    return Row(name, words, claimed, cases, *published, program, pairs, **more)  # type: ignore[arg-type]


def _svt_6() -> list[Labelled]:
    return [(x, y, *special.svt_6_laws(x, y, NOMINAL)) for x, y in suite_pairs(10, True)]


def _geometric() -> list[Labelled]:
    law = closed.truncated_geometric
    return [(x, y, law(x), law(y)) for (x,), (y,) in suite_pairs(1, False)]


def _rappor(one: Fraction) -> Callable[[], list[Labelled]]:
    def cases() -> list[Labelled]:
        found: list[Labelled] = []
        for (x,), (y,) in suite_pairs(1, False):
            mine, theirs = closed.bloom_bits(x), closed.bloom_bits(y)
            sizes = len(mine - theirs), len(theirs - mine)
            found.append((x, y, *closed.bit_laws(of_rational(one), of_rational(1 - one), *sizes)))
        return found

    return cases


def _once(laws: tuple[Law, Law]) -> list[Labelled]:
    return [("a", "b", *laws)]


def _e(k: Fraction | int) -> Exponentials:
    return {Fraction(k): Fraction(1)}


def _plus(a: Exponentials, b: Exponentials) -> Exponentials:
    return {e: a.get(e, Fraction(0)) + b.get(e, Fraction(0)) for e in {*a, *b}}


def _share(c: Fraction | int, top: Fraction | int, bottom: Exponentials) -> Form:
    """c e^top / bottom."""
    return closed.quotient({Fraction(top): Fraction(c)}, bottom)


def _randomized_response(k: int, eps: Fraction) -> list[Labelled]:
    whole = _plus(_e(eps), {Fraction(0): Fraction(k - 1)})
    p, q = _share(1, eps, whole), _share(1, 0, whole)
    return _once(closed.class_laws({"a": (p, q, 1), "b": (q, p, 1), "another value": (q, q, k - 2)}))


def _subset(k: int, size: int, eps: Fraction) -> list[Labelled]:
    """Subsets of the given size; one with x has e^eps times the chance of one without."""
    from math import comb

    whole = _plus({eps: Fraction(comb(k - 1, size - 1))}, {Fraction(0): Fraction(comb(k - 1, size))})
    p, q = _share(1, eps, whole), _share(1, 0, whole)
    one = comb(k - 2, size - 1)
    weights = {
        "with a alone": (p, q, one),
        "with b alone": (q, p, one),
        "with both": (p, p, comb(k - 2, size - 2)),
        "with neither": (q, q, comb(k - 2, size)),
    }
    return _once(closed.class_laws(weights))


def _unary(p: Form, q: Form) -> list[Labelled]:
    return _once(closed.bit_laws(p, q, 1, 1))


def _symmetric(eps: Fraction) -> list[Labelled]:
    whole = _plus(_e(eps / 2), _e(0))
    return _unary(_share(1, eps / 2, whole), _share(1, 0, whole))


def _optimised(eps: Fraction) -> list[Labelled]:
    return _unary(of_rational(Fraction(1, 2)), _share(1, 0, _plus(_e(eps), _e(0))))


NUMERICAL = "Definition: Wang, Ding, Wang, Kifer, Zhang 2019, as DP-Sniper codes it; the published figure is for it."
BLOOM = "MurmurHash3 with seeds 0..3 of the decimal text, modulo 20: 6 bits differ between 1 and 0, 5 between 1 and 2."
ONE = Fraction(1)

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
    Row(
        "Rappor",
        "Bloom filter of 20 bits, 4 hashes; f = 3/4, then p = 0.45, q = 0.55. d = 1, pairs differ in one entry.",
        Fraction(2, 5),
        _rappor(Fraction(9, 20) + Fraction(1, 10) * (1 - Fraction(3, 8))),
        "0.2495",
        "0.3030",
        note=f"{BLOOM} Claimed is about the 8 ln(…) of the paper.",
    ),
    Row(
        "OneTimeRappor",
        "Bloom filter of 20 bits, 4 hashes; f = 0.95. d = 1, pairs differ in one entry.",
        Fraction(4, 5),
        _rappor(1 - Fraction(95, 200)),
        "0.4763",
        "0.6019",
        note=BLOOM,
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
    Row("GRR k=200", "k-ary randomized response, ε = 1, k = 200.", ONE, lambda: _randomized_response(200, ONE)),
    Row("SubsetSelection k=200", "Subsets of 54 of 200 values, ε = 1.", ONE, lambda: _subset(200, 54, ONE)),
    Row("SUE k=200", "Symmetric unary encoding, ε = 1: two inputs differ in two bits.", ONE, lambda: _symmetric(ONE)),
    Row("OUE k=200", "Optimised unary encoding, ε = 1: two inputs differ in two bits.", ONE, lambda: _optimised(ONE)),
    Row(
        "BLH k=200",
        "Binary local hashing, ε = 1, the hash separates the pair.",
        ONE,
        lambda: _randomized_response(2, ONE),
    ),
    Row(
        "OLH k=200",
        "Local hashing to g = 4 values, ε = 1, the hash separates the pair.",
        ONE,
        lambda: _randomized_response(4, ONE),
    ),
)
"""The rows, in the order of the published tables; Gaussian rows are in gaussian_rows.py."""


def named(rows: Sequence[Row], wanted: Sequence[str]) -> list[Row]:
    """Those of these names, in the order of the suite; all where none is named."""
    return [row for row in rows if not wanted or row.name in wanted]
