"""Events from Python, from text and from dp-accounting: exact numbers in, one line for what cannot be."""

from fractions import Fraction as F

import pytest
from mpmath import exp, fsum, log, mp, mpf, workdps

import dpaudit
from dpaudit.accounting.dp_events import from_dp_event, to_dp_event
from dpaudit.accounting.grid import Grid, Question
from dpaudit.accounting.reading import NAMED, DiscreteLaplace, Gaussian, Laplace, RandomizedResponse, read
from dpaudit.audit.releases import read_events, to_pld
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError


def real(value):
    return mpf(F(value).numerator) / F(value).denominator


BAD = {
    "gaussian:sigma=0": "sigma: must be > 0",
    "gaussian:sigma=-1": "sigma: must be > 0",
    "gaussian": "sigma: must be given",
    "gaussian:sigma=1,rate=3/2": "rate: must be > 0 and <= 1",
    "gaussian:sigma=1,rate=0": "rate: must be > 0 and <= 1",
    "gaussian:sigma=1 x 1000000000000": "times: must be a whole number",
    "gaussian:sigma=1 x 0": "times: must be a whole number",
    "gaussian:sigma=1,shuffle=yes": "only Poisson sampling",
    "gaussian:sigma=1,batch_size=64": "only Poisson sampling",
    "gaussian:sigma=1,sigma=2": "each once",
    "gaussian:noise=1": "gaussian takes sigma",
    "laplace:eps=1,scale=1": "give either scale or eps",
    "laplace": "give either scale or eps",
    "pure:eps=1,delta=1": "delta: must be >= 0 and < 1",
    "pure:eps=1,delta=-1/10": "delta: must be >= 0 and < 1",
    "discrete-laplace:eps=1,sensitivity=10001": "sensitivity: must be a whole number",
    "randomized-response:eps=1,k=1": "k: must be a whole number >= 2",
    "randomized-response:k=3": "give either eps or noise",
    "discrete-gaussian:sigma=1,sensitivity=1/2": "sensitivity: must be a whole number",
    "discrete-gaussian:sigma=100000": "use gaussian for more",
    "cauchy:scale=1": "must be one of",
    "": "must be one of",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_events_are_refused_in_one_line(text):
    with pytest.raises(InputError) as error:
        read(text)
    assert BAD[text] in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", NAMED.values())
def test_floats_are_refused(kind):
    name = "sigma" if "gaussian" in kind.name else "eps"
    with pytest.raises(InputError, match="float"):
        getattr(dpaudit, kind.__name__)(**{name: 0.5})


@pytest.mark.parametrize("kind", NAMED.values())
@pytest.mark.parametrize("value", ["1/2", 0.5, 1])
def test_an_event_holds_fractions(kind, value):
    name = "sigma" if "gaussian" in kind.name else "eps"
    assert getattr(kind(**{name: F(1)}), name) == 1
    with pytest.raises(TypeError, match="is not a Fraction"):
        kind(**{name: value})


def test_a_parameter_that_is_missing_or_unknown():
    with pytest.raises(InputError, match=r"sigma = \(missing\): must be given"):
        dpaudit.Gaussian()
    with pytest.raises(TypeError, match="noise"):
        dpaudit.Gaussian(sigma=1, noise=2)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian:sigma=4/5,rate=1/100 x 1000",
        "laplace:eps=1/10",
        "discrete-gaussian:sigma=10 x 3",
        "randomized-response:eps=1,k=5",
        "pure:eps=1,delta=1/100000000",
    ],
)
def test_text_and_event_are_the_same(text):
    assert str(read(text)) == text
    assert read(str(read(text))) == read(text)


def test_times_multiply():
    assert (Gaussian(sigma=2) * 3 * 5).times == 15
    assert str(7 * Laplace(scale="1/2")) == "laplace:scale=1/2 x 7"
    with pytest.raises(InputError):
        Gaussian(sigma=2) * 0


def test_nothing_asked_and_replace_one_with_sampling_are_refused():
    event = dpaudit.Gaussian(sigma=1, rate="1/2")
    for bad, words in (
        ({}, "nothing to compute"),
        ({"at": "1", "adjacency": "replace-one"}, "replace-one"),
        ({"at": "-1"}, "must be >= 0"),
        ({"delta": "2"}, "must be > 0 and < 1"),
        ({"at": "1", "claim": "rho=1"}, "judges"),
        ({"at": [0.5]}, "float"),
    ):
        with pytest.raises(InputError, match=words):
            dpaudit.account([event], **bad)
    with pytest.raises(InputError, match="at least one event"):
        dpaudit.account([], at="1")


def test_dp_events_come_in_and_go_out():
    library = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    from dp_accounting import dp_event

    steps = library.SelfComposedDpEvent(library.PoissonSampledDpEvent(0.01, library.GaussianDpEvent(0.8)), 1000)
    whole = library.ComposedDpEvent([steps, library.LaplaceDpEvent(10.0), dp_event.DiscreteLaplaceDpEvent(0.1, 2)])
    found = from_dp_event(whole)
    assert found == [
        Gaussian(sigma="4/5", rate="1/100") * 1000,
        Laplace(scale=10),
        DiscreteLaplace(scale=10, sensitivity=2),
    ]
    assert from_dp_event(to_dp_event(found))[0] == found[0]
    assert from_dp_event(library.RandomizedResponseDpEvent(0.5, 4)) == [RandomizedResponse(noise="1/2", k=4)]
    for bad in (
        library.SampledWithoutReplacementDpEvent(100, 10, library.GaussianDpEvent(1.0)),
        library.NonPrivateDpEvent(),
    ):
        with pytest.raises(InputError, match="dominating pair"):
            from_dp_event(bad)


EXPORTED = [
    Gaussian(sigma=1),
    Gaussian(sigma=1, rate="1/4"),
    Laplace(eps="1/3"),
    DiscreteLaplace(eps="1/2", rate="1/10"),
    RandomizedResponse(eps="7/5", k=4),
    "exponential:eps=1",
    "pure:eps=1/3,delta=1e-9",
    "mech:LSHist,n=5",
    "mech:EHD,n=1,prior=1,1/1000",
]


def exact_delta(pmf, epsilon):
    """delta of the exported numbers by their definition, in mpmath: dp-accounting's own floats play no part."""
    at, total = real(epsilon), mpf(float(pmf._infinity_mass))
    for i, value in enumerate(pmf._probs):
        loss = (pmf._lower_loss + i) * mpf(pmf._discretization)
        total += max(mpf(0), -mpf(float(value)) * mp.expm1(at - loss))
    return total


@pytest.mark.parametrize("release", EXPORTED, ids=str)
def test_an_exported_distribution_is_pessimistic_on_both_sides(release):
    """In both directions, for epsilon below and above 0: at least what is certain, and hardly more."""
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    exported = dpaudit.to_pld(release, F(1, 512))
    (event,) = read_events([release])
    points = [F(-1, 4), F(0), F(1, 5), F(9, 10)]
    for name, pmf in (("remove", exported._pmf_remove), ("add", exported._pmf_add)):
        grid = Grid([event], 1e-2, 1 << 12)
        grid.directions = [d for d in grid.directions if d.name == name] or grid.directions
        known = grid.answer([Question(epsilon=point) for point in points]).known
        for question, bounds in known.items():
            delta = exact_delta(pmf, question.epsilon)
            assert real(bounds.lower) <= delta <= real(bounds.upper) * (1 + mpf(1) / 50) + mpf(10) ** -15


def test_an_export_that_loses_mass_is_seen():
    """With a hundredth less at every loss, delta is below what is certain."""
    event, at = Laplace(eps="1/4"), F(1, 8)
    pmf = pytest.importorskip("dp_accounting.pld.pld_pmf", reason="dp-accounting is not installed")
    exported = to_pld(event, F(1, 1 << 10))._pmf_remove
    (bounds,) = Grid([event], 2e-3, 1 << 12).answer([Question(epsilon=at)]).known.values()
    assert exact_delta(exported, at) >= real(bounds.lower)
    less = pmf.DensePLDPmf(2.0**-10, exported._lower_loss, exported._probs * (1 - 1e-2), 0.0, True)
    assert exact_delta(less, at) < real(bounds.lower)


def test_an_export_needs_a_grid_that_floats_hold_and_one_release():
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    with pytest.raises(InputError, match="power of 1/2"):
        to_pld(Laplace(eps=1), F(1, 10))
    with pytest.raises(InputError, match="one release"):
        to_pld(library_composition(), F(1, 2))


def library_composition():
    import dp_accounting

    return dp_accounting.ComposedDpEvent([dp_accounting.GaussianDpEvent(1.0), dp_accounting.LaplaceDpEvent(1.0)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mech:EHD,foo", "foo is no parameter"),
        ("mech:EHD,n=1,n=2", "n is given twice"),
        ("mech:EHD", "n: must be a whole number"),
        ("mech:EHD,n=1 x 1e12", "times: must be a whole number"),
        ("mech:EHD,n=1,rate=1/2", "no such parameter"),
    ],
)
def test_bad_mechanisms_are_refused_in_one_line(text, words):
    with pytest.raises(InputError, match=words):
        read_events([text])


def test_a_mechanism_keeps_its_words_and_the_commas_of_its_values():
    (event,) = read_events(["mech:EHD, n=1, prior=1,1/1000 × 2"])
    assert str(event) == "mech:EHD,n=1,prior=1,1/1000 x 2"
    found = dpaudit.account([event], at="1")
    assert found.command == "dpaudit account --event 'mech:EHD,n=1,prior=1,1/1000 x 2' --at 1"


def test_randomized_response_by_noise_is_that_by_epsilon():
    """With k = 2 and noise 2/3 the truth is told with 2/3: e^eps = 2."""
    found = dpaudit.account([RandomizedResponse(noise="2/3") * 4], at="1").deltas[0][1]
    exact = sum(
        max(0.0, c * (2**j / 3**4) * 1.0 - 2.718281828459045 * c * 2 ** (4 - j) / 3**4)
        for j, c in enumerate((1, 4, 6, 4, 1))
    )
    assert float(found.lower) <= exact + 1e-12
    assert exact - 1e-12 <= float(found.upper)
    assert found.width < F(1, 1000)


def middle(value):
    return real(sum(balls.ends(value)) / 2)


def on_whole_numbers(weight, reach, sensitivity):
    """{loss: (P, Q)} of x plus such noise, P around the sensitivity and Q around 0, and what lies beyond the reach."""
    total = weight(0) + 2 * fsum(weight(z) for z in range(1, 9 * reach))
    found = {}
    for z in range(sensitivity - reach, reach + 1):
        p, q = weight(z - sensitivity) / total, weight(z) / total
        key = round(log(p / q), 20)
        found[key] = tuple(a + b for a, b in zip(found.get(key, (0, 0)), (p, q), strict=True))
    return found


@pytest.mark.parametrize("sensitivity", [1, 2, 3])
@pytest.mark.parametrize("name", ["discrete-laplace:eps=1", "discrete-gaussian:sigma=2", "discrete-gaussian:sigma=1/3"])
def test_the_atoms_of_a_discrete_event_are_those_of_its_definition(name, sensitivity):
    """At 1000 bits even the tails are seen."""
    event = read(f"{name},sensitivity={sensitivity}")
    with workdps(280), balls.precision(1000):
        pair = event.dominating()
        left_out = middle(pair.left_out())
        if event.name == "discrete-laplace":
            assert left_out == 0
            for side in "pq":
                assert abs(1 - sum(middle(getattr(atom, side)) for atom in pair.all_atoms())) < mpf(10) ** -250
            expected = on_whole_numbers(lambda z: exp(-abs(z) / mpf(sensitivity)), 100 * sensitivity, sensitivity)
        else:
            sigma = real(event.sigma)
            reach = int(20 * sigma) + 2 + sensitivity
            expected = on_whole_numbers(lambda z: exp(-(z**2) / (2 * sigma**2)), reach, sensitivity)
            missing = [1 - sum(column) for column in zip(*expected.values(), strict=True)]
            assert all(0 < one <= left_out < 5 * one for one in missing)
        atoms = {round(real(atom.loss), 20): atom for atom in pair.all_atoms()}
        assert set(atoms) == set(expected)
        for loss, (p, q) in expected.items():
            assert abs(middle(atoms[loss].p) - p) <= p * mpf(10) ** -20
            assert abs(middle(atoms[loss].q) - q) <= q * mpf(10) ** -20
