"""Every epsilon at once: each inequality of EVERY_EPSILON.md, the answers against the engine, and broken twins."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.forall import every_epsilon_bounds as bounds
from dpaudit.forall.every_epsilon_cover import Search, ordered_pairs
from dpaudit.forall.every_epsilon_rows import Row, Rows
from dpaudit.forall.ranged import Span
from dpaudit.numbers import balls
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import Effort

SETTINGS = [
    ("EHDL", {"n": 7}),
    ("EHDL", {"n": 5, "prior": "1/100,1/100"}),
    ("EHDL", {"n": 4, "prior": "1/1000000,30"}),
    ("EHDL", {"n": 3, "k": 3}),
    ("EHDS", {"n": 6, "prior": "1/2,3", "gamma": "1/3"}),
    ("EHDS", {"n": 3, "prior": "1,2,1/2"}),
    ("MH", {"n": 8}),
    ("EHD", {"n": 1, "prior": "1/100,1/100"}),
    ("EHD", {"n": 9}),
    ("EHD/exact", {"n": 5, "prior": "1/10,4"}),
    ("EHDL", {"n": 4, "score": "kl"}),
]


def rows_of(mech, **setting):
    mechanism = dpaudit.mechanism(mech, **setting)
    rows = Rows(mechanism)
    return rows, ordered_pairs(mechanism, rows, Effort())


def random_row(source, size, scale):
    entries = [balls.zero(), *(balls.ball(Fraction(source.randint(1, 999), 1000) * scale) for _ in range(size))]
    return Row(entries, 0)


def points_in(source, interval):
    low, high = interval
    high = 4 * low + 8 if high is None else high
    inside = [low + (high - low) * Fraction(source.randint(0, 1000), 1000) for _ in range(12)]
    return [point for point in (low, low + (high - low) / 10**6, high, *inside) if point]


def exceeded(above, cases=150):
    """How often a bound of this kind lies below G at a point of its interval."""
    source, count = random.Random(14), 0
    for _ in range(cases):
        scale = Fraction(source.choice([1, 1, 5, Fraction(1, 50)]))
        x, y = (random_row(source, 6, scale) for _ in range(2))
        low = source.choice([Fraction(0), Fraction(1, 1000), Fraction(source.randint(1, 400), 100)])
        high = None if low and source.random() < 0.3 else low + Fraction(source.randint(1, 3000), 1000)
        bound = above(x, y, (low, high))
        count += sum(balls.certainly_less(bound, bounds.at(x, y, point)) for point in points_in(source, (low, high)))
    return count


def test_no_value_exceeds_the_bound_of_its_interval():
    assert not exceeded(bounds.above)


def test_a_broken_bound_is_noticed(monkeypatch):
    def only_the_ends(x, y, interval):
        return balls.maximum([bounds.at(x, y, end) for end in interval])

    assert exceeded(only_the_ends)
    monkeypatch.setattr(bounds, "_falls", lambda *_: True)
    assert exceeded(bounds.above)
    monkeypatch.undo()
    monkeypatch.setattr(bounds, "_dominated", lambda *_: True)
    assert exceeded(bounds.above)


def test_a_peak_is_where_the_value_is_largest():
    source, seen = random.Random(15), set()
    for _ in range(300):
        x, y = (random_row(source, 4, Fraction(source.choice([1, 3]))) for _ in range(2))
        low = source.choice([Fraction(0), Fraction(1, 8), Fraction(4), Fraction(30)])
        high = source.choice([None, low + Fraction(1, 100), low + 1])
        if not low and high is None:
            continue
        place = bounds.peak(x, y, (low, high))
        if place is not None:
            seen.add("limit" if place[0] in (0, None) else "end")
            top = bounds.at(x, y, *place)
            for point in points_in(source, (low, high)):
                assert not balls.certainly_less(top, bounds.at(x, y, point))
    assert seen == {"limit", "end"}


def test_the_variance_under_tilted_weights_stays_within_its_bounds():
    source = random.Random(16)
    for _ in range(100):
        row = random_row(source, 5, Fraction(source.choice([1, 4])))
        epsilon = Fraction(source.randint(1, 2000), 1000)
        weights = [(-balls.ball(epsilon) * a).exp() for a in row.exponents]
        mass = balls.total(weights)
        mean = balls.total([w * a for w, a in zip(weights, row.exponents, strict=True)]) / mass
        tilted = balls.total([w * (a - mean) ** 2 for w, a in zip(weights, row.exponents, strict=True)]) / mass
        factor = (balls.ball(epsilon) * row.most).exp()
        assert balls.certainly_less(tilted, factor * row.variance)
        assert balls.certainly_less(row.variance / factor, tilted)


@pytest.mark.parametrize(("mech", "setting"), SETTINGS)
def test_loss_over_epsilon_is_d_plus_g_and_below_the_swing(mech, setting):
    rows, pairs = rows_of(mech, **setting)
    source = random.Random(17)
    for pair in source.sample(pairs, min(4, len(pairs))):
        epsilon = Fraction(source.randint(1, 900), 100)
        law = dpaudit.mechanism(mech, eps=epsilon, **setting).law()
        loss = law.losses(pair.x, pair.y, set())[0]
        found = pair.top + bounds.at(rows[pair.x], rows[pair.y], epsilon)
        assert balls.overlap(found * balls.ball(epsilon), balls.maximum(list(loss)))
        assert balls.overlap(loss[pair.output], balls.maximum(list(loss)))
        assert not balls.certainly_less(pair.swing, found)
        if pair.alike:
            assert balls.overlap(found, pair.top)


@pytest.mark.parametrize(("mech", "setting"), SETTINGS)
def test_no_audit_at_one_epsilon_exceeds_the_supremum(mech, setting):
    result = dpaudit.epsilon(mech, eps="all", **setting)
    assert result.ratio.width <= Fraction(1, 10**15)
    for epsilon in (Fraction(1, 10**6), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40), Fraction(900)):
        audit = dpaudit.epsilon(mech, eps=epsilon, **setting)
        assert audit.epsilon.lower <= result.ratio.upper * epsilon
    spots = {"0": Fraction(1, 10**9), "inf": Fraction(10**5), "every": Fraction(3)}
    named = result.at.get("limit") or result.at.get("epsilon") or result.at["lower"]
    near = spots.get(named) or Fraction(named)
    audit = dpaudit.epsilon(mech, eps=near, digits=25, **setting)
    assert abs(audit.epsilon.upper / near - result.ratio.lower) < Fraction(1, 10**6)


@pytest.mark.parametrize("span", [Span(), Span(Fraction(1, 7), Fraction(9)), Span(Fraction(3), Fraction(4))])
def test_the_cover_leaves_no_gap_in_epsilon_and_no_pair(span):
    for mech, setting in SETTINGS[:5]:
        mechanism = dpaudit.mechanism(mech, **setting)
        with balls.precision(128):
            search = Search(mechanism, span, Effort())
            cover = search.run()
        assert len(cover.pairs) + cover.by_oscillation == len(search.all)
        for i in range(len(cover.pairs)):
            parts = cover.closed[i]
            assert parts[0][0] == (span.low or 0)
            assert parts[-1][1] == span.high
            assert all(one[1] == other[0] for one, other in pairwise(parts))


def test_a_range_is_what_it_says():
    whole = dpaudit.epsilon("EHD", n=9, eps="all")
    part = dpaudit.epsilon("EHD", n=9, eps="1..9")
    assert part.at == {"epsilon": "1"}
    assert part.ratio.upper < whole.ratio.lower
    exactly = dpaudit.epsilon("EHD", n=9, eps=1).epsilon
    assert part.ratio.lower <= exactly.upper
    assert exactly.lower <= part.ratio.upper


@pytest.mark.parametrize("span", [("1/100", "1/10"), ("1/2", "2"), ("3", "4"), ("20", "90")])
def test_the_supremum_over_a_range_is_the_largest_of_its_values(span):
    low, high = map(Fraction, span)
    for mech, setting in SETTINGS:
        ratio = dpaudit.epsilon(mech, eps="..".join(span), **setting).ratio
        with balls.precision(128):
            (rows, pairs), seen = rows_of(mech, **setting), []
            for epsilon in (low + (high - low) * Fraction(i, 40) for i in range(41)):
                values = [p.top + bounds.at(rows[p.x], rows[p.y], epsilon) for p in pairs]
                seen.append(balls.maximum(values))
            best = balls.maximum(seen)
            assert not balls.certainly_less(balls.ball(ratio.upper), best)
            assert balls.certainly_less(balls.ball(ratio.lower), best + balls.ball(Fraction(1, 1000)))


def test_verdicts():
    assert dpaudit.epsilon("EHDL", n=20, eps="all").claim.verdict is Verdict.PROVED
    refuted = dpaudit.epsilon("EHDL", n=50, prior="1/100,1/100", eps="all")
    assert refuted.claim.verdict is Verdict.REFUTED
    assert refuted.at == {"limit": "0"}
    assert refuted.to_dict()["guarantee"]["text"] == "ε-DP for every ε > 0"
    assert dpaudit.epsilon("MH", n=6, gamma=2, eps="all").to_dict()["guarantee"]["factor"] == "3"


@pytest.mark.parametrize(
    ("mech", "setting", "ratio", "at"),
    [
        ("LSDim", {"n": 9, "k": 3, "eps": "all"}, Fraction(2, 3), {"epsilon": "every"}),
        ("LSHist", {"n": 9, "eps": "all"}, Fraction(1), {"epsilon": "every"}),
        ("LSZhang", {"n": 9, "eps": "1/2..3"}, Fraction(1), {"epsilon": "every"}),
    ],
)
def test_the_laplace_family_is_exact(mech, setting, ratio, at):
    found = dpaudit.epsilon(mech, **setting)
    assert (found.exactly, found.at, found.claim.verdict) == (ratio, at, Verdict.PROVED)


def test_a_logarithm_in_the_closed_form_is_largest_at_an_end(monkeypatch):
    for mech, setting in (("LSZhang", {"n": 1}), ("LSDim", {"n": 1, "k": 3}), ("LSHist", {"n": 1, "k": 3})):
        found = dpaudit.epsilon(mech, eps="all", **setting)
        for epsilon in (Fraction(1, 10**5), Fraction(1), Fraction(60)):
            assert dpaudit.epsilon(mech, eps=epsilon, **setting).epsilon.lower <= found.ratio.upper * epsilon
        part = dpaudit.epsilon(mech, eps="1/2..3", **setting)
        ends = [dpaudit.epsilon(mech, eps=end, **setting).epsilon.lower / end for end in (Fraction(1, 2), Fraction(3))]
        assert abs(part.ratio.lower - max(ends)) < Fraction(1, 10**12)


def test_on_the_command_line(capsys):
    assert main(["epsilon", "--mech", "EHDL", "--n", "20", "--eps", "all"]) == 0
    shown = capsys.readouterr().out
    assert "in the limit ε → 0" in shown
    assert "ε-DP for every ε > 0" in shown
    assert main(["epsilon", "--mech", "EHDS", "--n", "5", "--eps", "all", "--require"]) == 0
    assert main(["epsilon", "--mech", "EHD", "--n", "1", "--prior", "1/100,1/100", "--eps", "all", "--require"]) == 1
    capsys.readouterr()
    assert main(["epsilon", "--mech", "EHDL", "--n", "3000", "--eps", "all", "--memory", "1/2"]) == 2
    assert "needs at least" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["--n 3 --eps all", "--n all", "--n 3 --prior 1..2,1", "--n 3"])
def test_nothing_is_required_of_what_claims_nothing(words, capsys):
    assert main(["epsilon", "--mech", "EHDL", *words.split(), "--require"]) == 2
    assert capsys.readouterr().err.endswith("EHDL claims nothing here, so nothing can be required of it\n")


def test_undecided_is_an_answer(monkeypatch, capsys):
    monkeypatch.setattr("dpaudit.forall.every_epsilon_cover.MOST_INTERVALS", 0)
    found = dpaudit.epsilon("EHD", n=9, eps="all").ratio
    assert found.width > Fraction(1, 1000)
    monkeypatch.setattr("dpaudit.forall.every_epsilon.claimed_factor", lambda _: (found.lower + found.upper) / 2)
    assert main(["epsilon", "--mech", "EHD", "--n", "9", "--eps", "all"]) == 3
    assert "UNDECIDED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("mech", "setting", "known"),
    [
        ("EHD", {"n": 1, "prior": "1,1/1000", "eps": "all"}, None),
        ("EHDL", {"n": 1, "prior": "1,2", "eps": "all"}, Fraction(1, 2)),
        ("EHDS", {"n": 1, "prior": "1,2", "gamma": "1/3", "eps": "all"}, Fraction(3, 8)),
        ("EHD/exact", {"n": 1, "prior": "1/7,2", "eps": "1..2", "score": "tv"}, Fraction(1, 2)),
        ("MH", {"n": 9, "prior": "1/3,1/100", "score": "l1", "gamma": "1/50", "adjacency": "all", "eps": "1..9"}, None),
    ],
)
def test_equal_exponents_make_the_ratio_constant_whatever_the_prior(mech, setting, known):
    found = dpaudit.epsilon(mech, **setting)
    assert (found.at, found.exactly, found.open) == ({"epsilon": "every"}, known, None)
    assert found.intervals < 100
    for epsilon in ("3/2", "2"):
        single = dpaudit.epsilon(mech, **{**setting, "eps": epsilon}).epsilon
        assert abs(single.lower / Fraction(epsilon) - found.ratio.lower) < Fraction(1, 10**14)


def test_rows_are_alike_by_algebra_only():
    assert not any(
        pair.alike for pair in rows_of("EHDL", n=1, prior="1,1000001/1000000", score="kl")[1]
    )  # KL(a || b) is not KL(b || a)
    assert not any(pair.alike for pair in rows_of("EHDL", n=2, prior="1,1000001/1000000")[1])
    for pair in rows_of("MH", n=5, prior="1/3,2", score="l1", adjacency="all")[1]:
        assert pair.alike == (pair.x == pair.y[::-1])


def test_a_plateau_that_halving_cannot_narrow_ends_early(capsys):
    words = "epsilon --mech EHDL --n 1 --prior 1,1000001/1000000 --score kl --eps all"
    assert main(words.split()) == 0
    shown = capsys.readouterr().out
    assert "after 2048 splits" in shown
    assert "PROVED" in shown
