"""Boxes of priors: each inequality of PRIOR_BOXES.md, the map against the engine and against algebra, broken twins."""

import json
import random
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mpmath import gamma, mp, mpf, pi, sqrt

import dpaudit
from dpaudit.cli import main
from dpaudit.forall.prior_boxes_rows import Box, BoxRows, Distances
from dpaudit.forall.prior_boxes_search import MapSearch
from dpaudit.numbers import balls
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Model

ROOT = Path(__file__).parents[2]
BOXES = [
    ((Fraction(1, 100), Fraction(2)), (Fraction(1, 100), Fraction(2))),
    ((Fraction(1, 1000), Fraction(1, 900)), (Fraction(3), Fraction(4))),
    ((Fraction(1, 2), Fraction(51, 100)), (Fraction(2, 5), Fraction(2, 5))),
    ((Fraction(20), Fraction(60)), (Fraction(1, 10**6), Fraction(1, 10))),
]
MECHANISMS = [
    ("EHDL", {"n": 5}),
    ("EHD", {"n": 4}),
    ("EHD/exact", {"n": 5}),
    ("EHDS", {"n": 6, "gamma": "1/3", "eps": "3/2"}),
    ("MH", {"n": 5, "gamma": "2"}),
]


def priors_in(source, box, count):
    """Corners, the centre and random priors of the box."""
    yield box.corner(0)
    yield box.corner(1)
    yield box.centre
    for _ in range(count):
        yield tuple(low + (high - low) * Fraction(source.randint(0, 1000), 1000) for low, high in box.sides)


def outside(make, cases):
    """How often a value at a prior lies outside of what is said of the box."""
    source, count = random.Random(14), 0
    for box, exact in cases:
        span = make(box)
        count += sum(not balls.overlap(exact(prior), span) for prior in priors_in(source, box, 6))
    return count


def distance_cases(c, d):
    return [(Box(sides), lambda prior: Hellinger(Model(sum(c), prior)).between(c, d)) for sides in BOXES]


PAIRS = [((0, 5), (1, 4)), ((2, 3), (5, 0)), ((4, 1), (0, 5))]


@pytest.mark.parametrize(("c", "d"), PAIRS)
def test_a_distance_stays_within_its_span(c, d):
    with balls.precision(128):
        assert not outside(lambda box: Distances(5, box).between(c, d), distance_cases(c, d))


def test_a_span_from_the_wrong_corner_is_noticed(monkeypatch):
    monkeypatch.setattr(Box, "corner", lambda box, which: box.centre)
    cases = distance_cases((0, 5), (1, 4))
    with balls.precision(128):
        spans = {box.sides: Distances(5, box).between((0, 5), (1, 4)) for box, _ in cases}
        monkeypatch.undo()
        assert outside(lambda box: spans[box.sides], cases)


def test_the_terms_fall_as_the_page_says():
    """q, the derivative of L in an entry of the prior, is above 0: H falls."""
    source = random.Random(15)
    for _ in range(60):
        alpha = Fraction(source.randint(1, 4000), source.choice([10, 1000, 10**6]))
        c, d = source.randint(0, 9), source.randint(0, 9)
        middle, *ends = (balls.ball(alpha + m).digamma() for m in (Fraction(c + d, 2), c, d))
        assert c == d or balls.certainly_less(sum(ends) / 2, middle)


@pytest.mark.parametrize(("mech", "setting"), MECHANISMS)
@pytest.mark.parametrize("sides", BOXES)
def test_the_losses_stay_within_their_spans(mech, setting, sides):
    source, box = random.Random(16), Box(sides)
    with balls.precision(128):
        mechanism = dpaudit.mechanism(mech, **setting)
        form = mechanism.exponent()
        rows, search = BoxRows(form, mechanism.model, box), MapSearch(mechanism, form, balls.ball(1))
        pairs = source.sample(search.first(Box(((Fraction(1), Fraction(2)), (Fraction(1), Fraction(3))))), 3)
        found = {pair: rows.losses(*pair) for pair in pairs}
        for prior in priors_in(source, box, 4):
            law = dpaudit.mechanism(mech, prior=prior, **setting).law()
            for (x, y), spans in found.items():
                values = law.losses(x, y, set())[0]
                assert all(balls.overlap(v, span) for v, span in zip(values, spans, strict=True))


def test_three_cells():
    box = Box(((Fraction(1, 4), Fraction(1)), (Fraction(1), Fraction(1)), (Fraction(1, 9), Fraction(2))))
    with balls.precision(128):
        mechanism = dpaudit.mechanism("EHDL", n=2, k=3)
        form = mechanism.exponent()
        rows, search = BoxRows(form, mechanism.model, box), MapSearch(mechanism, form, balls.ball(1))
        for x, y in search.first(box):
            spans = rows.losses(x, y)
            for prior in priors_in(random.Random(17), box, 2):
                values = dpaudit.mechanism("EHDL", n=2, prior=prior).law().losses(x, y, set())[0]
                assert all(balls.overlap(v, span) for v, span in zip(values, spans, strict=True))


def overlap_area(one, other):
    area = Fraction(1)
    for (a, b), (c, d) in zip(one.sides, other.sides, strict=True):
        area *= max(Fraction(0), min(b, d) - max(a, c))
    return area


@pytest.mark.parametrize(
    ("mech", "setting", "prior"),
    [
        ("EHD", {"n": 3}, "1/1000..1/4,1/1000..1/4"),
        ("EHD", {"n": 2}, "1/1000..1/4,1/50..3"),
        ("EHDL", {"n": 50, "eps": "1/10"}, "1/1000..1/10,1/3"),
    ],
)
def test_the_map_tiles_the_box_and_agrees_with_the_engine(mech, setting, prior):
    result, bound = dpaudit.epsilon(mech, **setting, prior=prior, rest="1/20"), Fraction(setting.get("eps", 1))
    assert result.proved + result.refuted + result.undecided == 1
    assert result.undecided <= Fraction(1, 20)
    assert result.complete
    boxes = [patch.box for patch in result.boxes if len(patch.box.axes) == 2]
    assert not any(overlap_area(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    source = random.Random(18)
    for verdict in (Verdict.PROVED, Verdict.REFUTED):
        chosen = result.boxes_with(verdict)
        for patch in [chosen[0], *source.sample(chosen, min(4, len(chosen)))]:
            for point in (patch.box.corner(0), patch.box.corner(1), patch.box.centre):
                audit = dpaudit.epsilon(mech, **setting, prior=point)
                assert (audit.epsilon.upper <= bound) == (verdict is Verdict.PROVED)
                if patch.witness is not None:
                    law = dpaudit.mechanism(mech, **setting, prior=point).law()
                    losses = law.losses(patch.witness.x, patch.witness.x_prime, set())[0]
                    index = dpaudit.mechanism(mech, **setting).model.index[patch.witness.output]
                    assert balls.certainly_less(balls.ball(bound), losses[index])


def curve(alpha):
    return gamma(alpha + mpf(1) / 2) / sqrt(gamma(alpha) * gamma(alpha + 1))


def number(value):
    return mpf(value.numerator) / value.denominator


def beyond(prior):
    """g(α₁) g(α₂) - (π - 3): negative where EHD with GS₀ is not private at n = 1."""
    with mp.workdps(30):
        return curve(number(prior[0])) * curve(number(prior[1])) - (pi - 3)


def test_the_map_of_ehd_straddles_the_curve_that_algebra_knows():
    result = dpaudit.epsilon("EHD", n=1, prior="1/1000..1/4,1/1000..1/4")
    assert result.claim.verdict is Verdict.REFUTED
    for patch in result.boxes:
        if patch.verdict is Verdict.PROVED:
            assert beyond(patch.box.corner(0)) >= 0
        if patch.verdict is Verdict.REFUTED:
            assert beyond(patch.box.corner(1)) < 0
    left = [patch.box.sides for patch in result.boxes_with(Verdict.UNDECIDED)]
    for i in range(1, 40):
        first, low, high = Fraction(i, 160), Fraction(1, 1000), Fraction(1, 4)
        if beyond((first, high)) < 0:
            continue
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if beyond((first, middle)) < 0 else (low, middle)
        assert any(a <= first <= b and c <= low <= d for (a, b), (c, d) in left)


def test_the_picture_of_the_page_is_what_is_drawn(tmp_path):
    result = dpaudit.epsilon("EHD", n=1, prior="1/1000..1/4,1/1000..1/4")
    file = tmp_path / "map.svg"
    result.plot(file)
    assert (ROOT / "docs" / "maps" / "ehd-1.svg").read_text() == file.read_text()


def test_all_of_a_box_may_be_proved_or_refuted():
    good = dpaudit.epsilon("EHDS", n=5, prior="1/2..3,1/2..3")
    assert (good.claim.verdict, good.proved) == (Verdict.PROVED, 1)
    bad = dpaudit.epsilon("EHD", n=1, prior="1/1000..1/200,1/1000..1/200")
    assert (bad.claim.verdict, bad.refuted) == (Verdict.REFUTED, 1)


def test_on_the_command_line_with_a_picture(capsys, tmp_path):
    picture = tmp_path / "map.svg"
    words = ["epsilon", "--mech", "EHD", "--n", "1", "--prior", "1/1000..1/4,1/1000..1/4", "--rest", "1/10"]
    assert main([*words, "--json", "--plot", str(picture)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["prior"] == ["1/1000..1/4", "1/1000..1/4"]
    assert {box["verdict"] for box in found["boxes"]} == {"PROVED", "REFUTED", "UNDECIDED"}
    assert sum(Fraction(found[name]) for name in ("proved", "refuted", "undecided")) == 1
    assert all((box["witness"] is not None) == (box["verdict"] == "REFUTED") for box in found["boxes"])
    drawing = picture.read_text()
    ElementTree.fromstring(drawing.partition("\n")[2])
    shares = {verdict: float(Fraction(found[verdict.lower()])) for verdict in ("PROVED", "REFUTED", "UNDECIDED")}
    drawn = {verdict: float(number) for verdict, number in re.findall(r">([A-Z]+) ([\d.]+) %<", drawing)}
    assert drawn == pytest.approx({verdict: 100 * share for verdict, share in shares.items()}, abs=0.01)
    assert found["command"].endswith("--rest 1/10")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--mech LSDim --n 4 --prior 1..2,1..2", "--prior = 1..2,1..2: the privacy of LSDim does not depend"),
        ("--mech EHDL --n 4 --prior 1..2,1..2 --score kl", "--prior = 1..2,1..2: a map needs the Hellinger"),
        ("--mech MHdelta --delta 1/9 --n 4 --prior 1..2,1..2", "--prior = 1..2,1..2: MHdelta claims"),
        ("--mech EHDL --n 4 --prior 1..2,1..2 --rest 0", "--rest = 0: must be > 0 and < 1"),
        ("--mech EHDL --n 4 --prior 1..2,1 --plot map.svg", "--plot = map.svg: a theorem has a picture only"),
        ("--mech EHDL --n 9999 --prior 1..2,1..2", "--memory = 2 GiB: all rows of EHDL over a box"),
    ],
)
def test_bad_input_is_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["epsilon", *words.split()]) == 2
    assert capsys.readouterr().err.startswith(f"dpaudit: {said}")


def test_undecided_is_an_answer_with_the_boxes_that_are_left(capsys, monkeypatch):
    monkeypatch.setattr("dpaudit.forall.prior_boxes_search.MOST_BOXES", 6)
    words = ["epsilon", "--mech", "EHD", "--n", "1", "--prior", "1/1000..1/4,1/1000..1/4"]
    assert main([*words, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert Fraction(found["undecided"]) > Fraction(1, 100)
    assert any(box["verdict"] == "UNDECIDED" for box in found["boxes"])
