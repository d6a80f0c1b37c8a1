"""The suite: values that are known, two ways of computing that agree, and what the committed report says."""

import json
from fractions import Fraction as F
from math import comb
from pathlib import Path

import noise.quadrature as ref
import pytest
from mpmath import exp, log, mpf
from sympy import Poly, Rational, symbols

from dpaudit.cli import main
from dpaudit.noise import losses
from dpaudit.noise.gaussian import form_ball
from dpaudit.noise.suite import at_c, closed, every_epsilon, special
from dpaudit.noise.suite.all_inputs import CASES, over_all_inputs
from dpaudit.noise.suite.inputs import NOMINAL, law_of, laws_of, ordered, suite_pairs
from dpaudit.noise.suite.rows import ROWS
from dpaudit.noise.suite.solve import solve
from dpaudit.noise.supremum import Region
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.studies.suite.run import ALL

BY_NAME = {row.name: row for row in ALL}
ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "reports" / "field"
NAMES = [
    "Laplace",
    "TruncatedGeometric",
    "NoisyHist1",
    "NoisyHist2",
    "ReportNoisyMax1",
    "ReportNoisyMax2",
    "ReportNoisyMax3",
    "ReportNoisyMax4",
    "SVT1",
    "SVT2",
    "SVT3",
    "SVT4",
    "SVT5",
    "SVT6",
    "Rappor",
    "OneTimeRappor",
    "LaplaceParallel",
    "PrefixSum",
    "NumericalSVT",
    "SVT34Parallel",
]


def committed():
    return {row["name"]: row for row in json.loads((COMMITTED / "result.json").read_text())["rows"]}


def test_every_row_of_the_published_suite_is_there():
    assert set(NAMES) <= set(BY_NAME)
    assert set(committed()) == set(BY_NAME)


KNOWN = [
    ("Laplace", "1/10"),
    ("NoisyHist1", "1/10"),
    ("NoisyHist2", "10"),
    ("ReportNoisyMax2", "1/10"),
    ("TruncatedGeometric", "ln(9/8)"),
    ("PrefixSum", "1"),
    ("SmartSum", "1/5"),
    ("GRR k=200", "1"),
    ("OUE k=200", "1"),
]


@pytest.mark.parametrize(("name", "value"), KNOWN)
def test_closed_forms(name, value):
    assert solve(BY_NAME[name]).closed_form == value


def test_the_sparse_vector_without_query_noise_is_infinite():
    found = solve(BY_NAME["SVT5"])
    assert found.epsilon.is_infinite
    assert found.infinite_mass.lower > F(4, 100)


def test_bits_of_rappor_are_those_of_the_hash():
    assert closed.murmur3("hello", 0) == 613153351  # the hash's published test value
    assert len(closed.bloom_bits(1) ^ closed.bloom_bits(0)) == 6
    found = solve(BY_NAME["OneTimeRappor"]).epsilon
    assert abs(float(found.lower) - 6 * float(log(mpf("0.525") / mpf("0.475")))) < 1e-12


REFERENCE = [
    ("ReportNoisyMax1", lambda x: ref.noisy_max(x, "laplace", mpf(20))),
    ("SVT1", lambda x: ref.first_above(x, mpf("0.5"), "laplace", mpf(20), mpf(40))),
    ("SVT4", lambda x: ref.first_above(x, mpf(1), "laplace", mpf(40), mpf(40) / 3)),
]


@pytest.mark.parametrize(("name", "law"), REFERENCE)
@pytest.mark.thin(3)
def test_the_worst_loss_is_what_quadrature_gives(name, law):
    row = committed()[name]
    x, y = ([mpf(q) for q in row["worst"][side]] for side in ("x", "x_prime"))
    place = int(row["worst"]["output"])
    assert abs(log(law(x)[place] / law(y)[place]) - mpf(row["epsilon"]["lower"])) < 1e-13
    assert solve(BY_NAME[name]).to_dict()["epsilon"] == row["epsilon"]


def test_classes_of_queries_have_the_law_of_the_code():
    x, y = (1, 1, 0), (0, 2, 1)
    laws = laws_of(lambda q, noise, eps: sum(_above(q, noise, eps)), [(x, y)], NOMINAL)
    merged = special.svt_6_laws(x, y, NOMINAL)[0]
    with balls.precision(128):
        whole = balls.total([form_ball(part.weight) for part in merged.values()])
        counted = form_ball(laws[x][int, 3].weight)
        assert balls.overlap(whole, ball(1))
        assert balls.overlap(counted, form_ball(list(merged.values())[-1].weight))


def _above(x, noise, eps):
    threshold = 1 + noise.laplace(2 / eps)
    return [q + noise.laplace(2 / eps) >= threshold for q in x]


def test_polynomials_in_balls_agree_with_the_closed_class():
    x, y = suite_pairs(6, True)[-1]
    with balls.precision(192):
        exact = [form_ball(part.weight) for part in special.svt_6_laws(x, y, NOMINAL)[0].values()]
        in_balls = special.svt_6_balls(x, y, NOMINAL)
        for whole, (p, _, counts) in zip(exact, in_balls, strict=True):
            many = comb(3, counts[0]) * comb(3, counts[1])
            assert balls.overlap(whole, p * many)
            assert balls.narrow(whole, 40)


# ------------------------------------------------------------------ at c


def test_at_c_of_a_coin():
    """P = (1/2, 1/2), Q = (1/4, 3/4): the test at level 1/100 has the ratio 2."""

    def test(at):
        inside = [i for i, loss in enumerate((log(2), log(mpf(2) / 3))) if loss > ref.number(at)]
        p, q = [ball(F(1, 2))] * 2, [ball(F(1, 4)), ball(F(3, 4))]
        return Region(balls.total([p[i] for i in inside]), balls.total([q[i] for i in inside]), ball(0))

    found, _ = at_c.exact_at_c([test])
    assert float(found.lower) <= float(log(2)) <= float(found.upper)
    assert found.width < F(1, 10**8)


def test_nothing_at_c_exceeds_the_truth():
    for row in committed().values():
        if row["at_c"]["epsilon"] is not None and row["epsilon"]["upper"] != "inf":
            assert F(row["at_c"]["epsilon"]["lower"]) <= F(row["epsilon"]["upper"])


# ------------------------------------------------------------------ for every epsilon, over all inputs


EVERY = [("ReportNoisyMax1", Verdict.PROVED), ("ReportNoisyMax2", Verdict.PROVED), ("SVT4", Verdict.REFUTED)]


@pytest.mark.parametrize(("name", "verdict"), EVERY)
def test_rows_for_every_epsilon(name, verdict):
    assert every_epsilon.decide(BY_NAME[name]).verdict is verdict
    assert committed()[name]["every_epsilon"]["verdict"] == verdict.value


def test_six_rows_are_decided_for_every_epsilon():
    found = [row["every_epsilon"] for row in committed().values()]
    assert len([every for every in found if every["verdict"] in ("PROVED", "REFUTED")]) >= 6
    assert all((every["verdict"] is None) == (every["undecided_because"] is not None) for every in found)


@pytest.mark.parametrize("name", ["SVT4", "SVT6"])
@pytest.mark.parametrize("eps", [F(1, 100), F(1), F(9)])
def test_what_fails_for_every_epsilon_fails_at_three_of_them(name, eps):
    assert "fails for every ε > 0" in committed()[name]["every_epsilon"]["where"]
    worst = F(0)
    for x, y in ordered(BY_NAME[name].pairs):
        laws = (
            special.svt_6_laws(x, y, eps) if name == "SVT6" else [law_of(BY_NAME[name].program, z, eps) for z in (x, y)]
        )
        with balls.precision(256):
            worst = max(worst, *(balls.ends(peak.loss)[0] for peak in losses.peaks(*laws)))
    assert worst > eps


def test_only_the_row_whose_outputs_depend_on_each_other_has_no_value_at_c():
    missing = {name: row["at_c"]["missing_because"] for name, row in committed().items()}
    assert [name for name, because in missing.items() if because is not None] == ["SVT34Parallel"]
    assert all((row["at_c"]["epsilon"] is None) == (missing[name] is not None) for name, row in committed().items())


@pytest.mark.parametrize("name", ["LaplaceParallel", "PrefixSum", "NumericalSVT"])
def test_the_value_at_c_of_several_real_parts_has_nine_digits(name):
    found = committed()[name]["at_c"]["epsilon"]
    assert F(found["upper"]) - F(found["lower"]) < F(1, 10**9)


def test_the_symbolic_law_at_one_tenth_is_the_law_at_one_tenth():
    row = BY_NAME["SVT2"]
    x, _ = row.pairs[4]
    law = laws_of(row.program, [(x, x)], NOMINAL)[x]
    for output, (d, terms) in every_epsilon.symbolic_law(row.program, x).items():
        value = sum(mpf(int(c.p)) / int(c.q) * mpf("0.1") ** p * exp(mpf(j) / d / 10) for (p, j, _), c in terms.items())
        with balls.precision(128):
            weight = next(part.weight for key, part in law.items() if key[1] == output)
            assert abs(value - mpf(str(form_ball(weight).mid().str(30, radius=False)))) < 1e-20


def test_a_polynomial_row_is_decided_as_sturm_decides_it():
    """Without powers of epsilon e^eps Q - P is a polynomial in q = e^(-eps/d): its roots in (0, 1), by sympy."""
    row, q = BY_NAME["ReportNoisyMax2"], symbols("q")
    laws = {x: every_epsilon.symbolic_law(row.program, x) for pair in row.pairs for x in pair}
    for x, y in ordered(row.pairs)[4:8]:
        for output, (d, terms) in laws[x].items():
            other_d, other = laws[y][output]
            size = d * other_d
            gap = {}
            for (_, j, _), c in terms.items():
                gap[-j * size // d] = gap.get(-j * size // d, 0) - Rational(int(c.p), int(c.q))
            for (_, j, _), c in other.items():
                key = (-j - other_d) * size // other_d
                gap[key] = gap.get(key, 0) + Rational(int(c.p), int(c.q))
            low = min(gap)
            whole = Poly(sum(c * q ** (k - low) for k, c in gap.items()), q)
            if not whole.is_zero:
                bare = whole.quo(whole.gcd(whole.diff()))
                inside = bare.count_roots(0, 1) - (bare.eval(0) == 0) - (bare.eval(1) == 0)
                assert inside == 0
                assert whole.eval(Rational(1, 2)) > 0


@pytest.mark.parametrize("name", [name for name in CASES if name != "SVT3"])
def test_over_all_inputs_the_bound_is_nearly_reached(name):
    found = over_all_inputs(name)
    assert found.value - F(1, 10**6) < found.reached.upper
    assert found.reached.lower <= found.value
    suite = committed()[name]["epsilon"]
    assert F(suite["lower"]) <= found.value


# ------------------------------------------------------------------ the command and the report


def test_the_command(capsys):
    assert main(["suite", "Laplace", "SVT5", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in rows] == ["Laplace", "SVT5"]
    assert rows[0]["epsilon"] == {"lower": "0.1", "upper": "0.1"}
    assert rows[1]["epsilon"]["lower"] == "inf"
    assert main(["suite", "SVT7"]) == 2
    assert "is not a row of the suite" in capsys.readouterr().err


def test_the_committed_page_is_what_its_numbers_render_to():
    from reports.field.__main__ import written

    rows = list(committed().values())
    for name, text in written(rows).items():
        assert (COMMITTED / name).read_text() == text, name


def test_every_row_says_how_it_is_defined():
    assert all(len(row.definition) > 20 for row in ROWS)
