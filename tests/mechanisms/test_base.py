"""Generic tests over the registry: a new mechanism is covered by being registered."""

from fractions import Fraction
from itertools import permutations

import pytest
from agreement import DIGITS, DPS, agrees
from hypothesis import given
from hypothesis import strategies as st

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism, lookup, make_mechanism
from dpaudit.numbers import balls
from dpaudit.posterior.model import make_model
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reference import definitions as ref

RATIONALS = st.builds(Fraction, st.integers(1, 400), st.integers(1, 60))
PRIORS = st.lists(RATIONALS, min_size=2, max_size=3).map(tuple)


@st.composite
def mechanisms(draw, names=tuple(REGISTRY), largest=4):
    """A registered mechanism with any parameters; they come from the declared parameters."""
    kind = REGISTRY[draw(st.sampled_from(names))]
    prior = draw(PRIORS)
    model = make_model(draw(st.integers(1, largest if len(prior) == 2 else 3)), prior=prior)
    values = {p.name: draw(st.sampled_from(p.examples)) for p in kind.parameters}
    return make_mechanism(kind.name, model, draw(RATIONALS), values)


def reference_arguments(mechanism: PosteriorMechanism):
    own = {p.name: getattr(mechanism, p.name) for p in mechanism.parameters if p.name != "score"}
    model = mechanism.model
    return {"mech": mechanism.name, "n": model.n, "prior": model.prior, "eps": mechanism.epsilon, **own}


@given(mechanisms())
def test_probabilities_lie_in_the_unit_interval_and_sum_to_one(mechanism):
    with balls.precision(2048):  # the largest exponent is about 800: 1 - P(x) is far from 0 at this precision
        law = mechanism.law()
        for x in mechanism.model.histograms:
            row = law.probabilities(x)
            assert len(row) == len(mechanism.outputs()) == mechanism.count_outputs()
            assert all(balls.certainly_less(balls.zero(), p) for p in row)
            assert not any(balls.certainly_less(balls.ball(1), p) for p in row)
            total = balls.total(row)
            assert balls.overlap(total, balls.ball(1))
            assert balls.enclosure(total, 40) is not None


@given(mechanisms())
def test_logarithms_and_masses_agree_with_the_probabilities(mechanism):
    with balls.precision(200):
        law = mechanism.law()
        for x, y in zip(mechanism.model.histograms, mechanism.model.histograms[1:], strict=False):
            assert all(map(balls.overlap, [p.log() for p in law.probabilities(x)], law.log_probabilities(x)))
            masses = law.masses(x, y)
            for side in (0, 1):
                assert balls.overlap(balls.total([mass[side] for mass in masses]), balls.ball(1))
            for mass in masses:
                if mass.loss is not None:
                    assert balls.overlap((mass.p / mass.p_prime).log(), balls.ball(mass.loss))


@given(mechanisms(largest=3), st.data())
def test_relabelling_the_categories_permutes_the_output(mechanism, data):
    """Permuting data and prior alike permutes the output; a derived last cell stays where it is."""
    model = mechanism.model
    fixed = len(mechanism.outputs()[0]) < model.k
    movable = model.k - 1 if fixed else model.k
    order = data.draw(st.sampled_from(list(permutations(range(movable))))) + tuple(range(movable, model.k))
    moved = make_model(model.n, prior=tuple(model.prior[i] for i in order))
    own = {p.name: getattr(mechanism, p.name) for p in mechanism.parameters}
    other = type(mechanism)(moved, mechanism.epsilon, **own)
    with balls.precision(150):
        law, image = mechanism.law(), other.law()
        for x in model.histograms:
            row = dict(zip(mechanism.outputs(), law.probabilities(x), strict=True))
            permuted = dict(zip(other.outputs(), image.probabilities(tuple(x[i] for i in order)), strict=True))
            for output, p in row.items():
                assert balls.overlap(p, permuted[tuple(output[i] for i in order if i < len(output))])


@given(mechanisms(ref.MECHANISMS, largest=5))
def test_the_reference_agrees(mechanism):
    value, attained = ref.epsilon(**reference_arguments(mechanism), dps=DPS)
    result = dpaudit.epsilon(mechanism, digits=DIGITS)
    assert agrees(result.epsilon, value)
    assert (result.witness.x, result.witness.x_prime, result.witness.output) in attained


@given(mechanisms(ref.MECHANISMS), st.builds(Fraction, st.integers(0, 30), st.integers(1, 10)))
def test_the_reference_agrees_on_delta(mechanism, at):
    value = ref.delta(**reference_arguments(mechanism), at=at, dps=DPS)
    assert agrees(dpaudit.delta(mechanism, at=at, digits=DIGITS).delta, value)


@given(mechanisms(), st.integers(1, 60))
def test_every_number_of_digits(mechanism, digits):
    found = dpaudit.epsilon(mechanism, digits=digits).epsilon
    finer = dpaudit.epsilon(mechanism, digits=digits + 20).epsilon
    assert found.width <= Fraction(1, 10**digits)
    assert found.lower <= finer.upper
    assert finer.lower <= found.upper


@given(mechanisms())
def test_counts_are_what_enumeration_gives(mechanism):
    counts = mechanism.counts()
    assert counts.datasets == len(mechanism.model.histograms)
    assert counts.pairs == sum(len(list(mechanism.neighbors(x))) for x in mechanism.model.histograms)
    assert counts.outputs == len(mechanism.outputs())


@pytest.mark.parametrize("name", REGISTRY)
def test_every_class_says_what_it_is(name):
    kind = REGISTRY[name]
    assert kind.name == name
    assert all((kind.summary, kind.formula, kind.source, kind.__doc__))


@pytest.mark.parametrize("kind", REGISTRY.values(), ids=lambda kind: kind.name)
def test_a_released_posterior_has_k_cells_within_bounds(kind):
    values = {p.name: p.read(kind.name, p.examples[0]) for p in kind.parameters}
    mechanism = kind(make_model(3, 3), Fraction(1), **values)
    for output in mechanism.outputs():
        cells = mechanism.released(output)
        assert len(cells) == 3
        assert all(0 <= cell <= 3 for cell in cells)


@pytest.mark.parametrize("kind", REGISTRY.values(), ids=lambda kind: kind.name)
def test_one_point_is_the_row_s(kind):
    values = {p.name: p.read(kind.name, p.examples[0]) for p in kind.parameters}
    mechanism = kind(make_model(3, prior="1,1/3"), Fraction(3, 2), **values)
    with balls.precision(150):
        row = mechanism.law().probabilities((1, 2))
        for output, p in zip(mechanism.outputs(), row, strict=True):
            assert balls.overlap(mechanism.point((1, 2), output), p)
            assert balls.enclosure(mechanism.point((1, 2), output), 30) is not None
    few = sum(len(mechanism.law().masses(x, y)) for x in mechanism.model.histograms for y in mechanism.neighbors(x))
    assert few <= mechanism.count_masses()


@pytest.mark.parametrize(("n", "eps", "delta"), [(1, "1", "1/20"), (7, "8", "1e-8"), (40, "1/100", "1/2000")])
def test_the_gamma_of_mhdelta(n, eps, delta):
    mechanism = make_mechanism("MHdelta", make_model(n), eps, {"delta": delta})
    with balls.precision(200):
        found = balls.enclosure(mechanism.gamma(), DIGITS)
    assert agrees(found, ref.delta_gamma(n, Fraction(eps), Fraction(delta), DPS))


def test_claims_with_another_score():
    model = make_model(2)

    def claimed(name, score, **own):
        return make_mechanism(name, model, 2, {"score": score, **own}).claimed()

    for name, bound in (("EHDS", 2), ("MH", 4)):
        assert claimed(name, "hellinger") == claimed(name, "tv") == EpsilonDelta(Fraction(bound))
        assert claimed(name, "kl") is None
    assert claimed("MHdelta", "tv", delta="1/20") is None
    assert claimed("EHDL", "hellinger") is None
    for kind in ("EHD", "EHDL", "MH"):
        with pytest.raises(dpaudit.InputError, match="tv"):
            make_mechanism(kind, make_model(2, 3), 1, {"score": "tv"} | ({"gs": "exact"} if kind == "EHD" else {}))


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("EHSD", "EHD or EHDS"),
        ("MHdleta", "MHdelta or EHDL"),
        ("lszang", "LSZhang"),
        ("zzzzzz", None),
        ("laplce", "laplace or discrete-laplace"),
    ],
)
def test_the_nearest_mechanisms_are_suggested(name, suggested):
    with pytest.raises(dpaudit.InputError) as caught:
        lookup(name)
    assert caught.value.option == "mech"
    assert (f"did you mean {suggested}? `dpaudit" in str(caught.value)) == (suggested is not None)
    assert lookup(" ehds ").name == "EHDS"


def test_a_parameter_that_is_not_there():
    with pytest.raises(dpaudit.InputError, match="it has: gamma"):
        make_mechanism("EHDS", make_model(3), 1, {"delta": "1/2"})
    with pytest.raises(dpaudit.InputError, match="it has: none"):
        make_mechanism("LSHist", make_model(3), 1, {"delta": "1/2"})


@pytest.mark.parametrize(("score", "symbol"), [("kl", "KL"), ("tv", "TV"), ("l1", "ℓ₁"), ("hellinger", "H")])
def test_the_formula_shows_the_score_in_force(score, symbol, capsys):
    assert main(["epsilon", "--mech", "EHDS", "--n", "3", "--score", score]) == 0
    assert f"exp(−ε·{symbol}(x,r) / " in capsys.readouterr().out


def test_the_defaults_of_the_documents():
    model = make_model(2)
    assert REGISTRY["EHDS"](model, Fraction(1)).gamma == REGISTRY["MH"](model, Fraction(1)).gamma == 1
    assert REGISTRY["MHdelta"](model, Fraction(1)).delta == Fraction(1, 10**8)
    assert REGISTRY["EHD"](model, Fraction(1)).gs == "constant"
    assert REGISTRY["MHdelta"](model, Fraction(2), Fraction(1, 9)).claimed() == EpsilonDelta(
        Fraction(2), Fraction(1, 9)
    )


def test_the_stated_memory():
    """Bytes by the stated sizes: 600 a histogram, 8 a cell, four rows of balls of 120; 2000 a merged cell law."""
    assert make_mechanism("EHD", make_model(3), 1, {}).memory() == 4 * (600 + 2 * 8 + 4 * 120)
    assert make_mechanism("LSDim", make_model(3), 1, {}).memory() == 2000 * 4 + 600 * 4
