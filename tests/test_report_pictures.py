"""The numbers behind the pictures of a report are the engine's, and the pictures show them."""

import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import dpaudit
from dpaudit.pictures.lines import Chart, Curve
from dpaudit.pictures.picture import HALF
from dpaudit.pictures.svg import width_of
from dpaudit.reports import data_maps, plan
from dpaudit.reports.charts import figures
from dpaudit.reports.collect import _facts
from dpaudit.reports.distances import along
from dpaudit.reports.nominal import FACTORS
from dpaudit.reports.report import build
from dpaudit.reports.tables import caption, table


@pytest.fixture(scope="module")
def made():
    block = plan.block({"n": "2..4", "mechs": "EHDL,MH", "prior": "1/10,1/10"})
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    return {section["kind"]: section for section in sections}


def shown(made, kind):
    drawn = figures(made[kind], list(made.values()))
    return drawn, "".join(picture.svg() for figure in drawn for picture in figure.wide)


def test_true_over_nominal_is_the_true_epsilon(made):
    rows = [row for row in made["true-nominal"]["rows"] if row["mechanism"] == "EHDL"]
    assert [Fraction(row["eps"]) for row in rows] == list(FACTORS)
    found = dpaudit.epsilon("EHDL", n=4, prior="1/10,1/10", eps=rows[0]["eps"], digits=12).epsilon
    ratio = rows[0]["ratio"]
    assert Fraction(ratio["lower"]) <= found.lower / FACTORS[0] <= found.upper / FACTORS[0] <= Fraction(ratio["upper"])
    assert "true ε = nominal ε" in shown(made, "true-nominal")[1]


def test_the_map_of_priors_outlines_what_exceeds(made):
    rows = made["prior-map"]["rows"]
    row = next(r for r in rows if (r["mechanism"], r["prior"], r["n"]) == ("EHDL", "1/10", 160))
    assert row["outcome"] == "REFUTED"  # from n = 137 on
    drawn, text = shown(made, "prior-map")
    assert "EHDL in" in drawn[0].caption
    assert text.count('class="cells"') == 2


def test_distances_are_the_accuracy_and_the_bound_that_fails_is_named(made):
    subject = dpaudit.mechanism("MH", n=4, prior="1/10,1/10")
    rows = along(subject, (2, 2))
    steps = dpaudit.accuracy("MH", "2,2", prior="1/10,1/10", digits=10).steps
    first = next(row for row in rows if row["bound"] == "")
    cumulative = steps[0].cumulative
    assert Fraction(first["value"]["lower"]) <= cumulative.upper
    assert cumulative.lower <= Fraction(first["value"]["upper"])
    failing = {row["bound"] for row in made["distances"]["rows"] if row.get("outcome") == "REFUTED"}
    caption = shown(made, "distances")[0][0].caption
    assert all(bound in caption for bound in failing)


def test_the_chain_shows_both_probabilities_and_the_matrix_every_share(made):
    drawn, text = shown(made, "chain")
    assert "P_x(r)" in text
    assert "P_x′(r)" in text
    assert made["chain"]["rows"][-1]["words"] in drawn[0].caption
    assert all(row["mechanism"] in shown(made, "matrix")[1] for row in made["matrix"]["rows"])


def test_limits_and_claims_stand_by_the_lines(made):
    drawn, text = shown(made, "epsilon-by-n")
    assert set(made["epsilon-by-n"]["limits"]) == {"EHDL", "MH"}
    assert "n → ∞" in text
    assert "no claim" in text
    assert "claims 2-DP" in text
    assert "Proved limits" in drawn[0].caption


def test_curves_stand_beside_the_trade_off(made):
    drawn, text = shown(made, "delta-curves")
    assert len(drawn[0].wide) == 2
    assert "error of the second kind" in text


class Leaky:
    """Its true epsilon is infinite from n = 2 on."""

    def __init__(self, n=1):
        self.n = n

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["a", "b"]

    def probability(self, x, r):
        return Fraction(2 if (x == 0) == (r == "a") else 1, 3) if self.n == 1 else Fraction((x == 0) == (r == "a"))

    def claimed(self):
        return Fraction(1)


class Vague(Leaky):
    """Known to wide enclosures at n = 2."""

    def probability(self, x, r):
        middle, off = Fraction(2 if (x == 0) == (r == "a") else 1, 3), Fraction(self.n - 1, 10)
        return (middle - off, middle + off) if off else middle


@pytest.fixture(scope="module")
def own():
    block = plan.block({"n": "1..2", "mechs": [Leaky, Vague]})
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    return {section["kind"]: section for section in sections}


def test_an_infinite_epsilon_is_drawn_and_its_share_is_called_infinite(own):
    text = shown(own, "epsilon-by-n")[1]
    assert 'class="beyond"' in text
    assert "Leaky = ∞" in text
    text = shown(own, "matrix")[1]
    assert ">∞,  Not private<" in text
    assert "inf" not in text.replace("[inf, inf]", "")


def test_what_is_not_known_is_a_band_and_a_light_bar(own):
    assert 'class="band' in shown(own, "epsilon-by-n")[1]
    row = next(row for row in own["matrix"]["rows"] if row["mechanism"] == "Vague")
    wide = {**own["matrix"], "rows": [{**row, "share": {"lower": "0.2", "upper": "1.3"}}]}
    (figure,) = figures(wide)
    assert figure.wide[0].body.count(' open"') == 1
    assert "between 20 % and 130 %" in figure.wide[0].body


def test_a_share_is_of_what_it_is_compared_with(made, own):
    row = own["matrix"]["rows"][0]
    said = {
        claims: figures({**own["matrix"], "rows": [{**row, "claim": claim} for claim in claims]})[0].wide[0].body
        for claims in (("1-DP",), (None,), ("1-DP", None))
    }
    assert ">the claim<" in said["1-DP",]
    assert ">the nominal ε<" in said[None,]
    assert ">the claim, or the nominal ε<" in said["1-DP", None]
    column = table({**own["matrix"], "rows": [{**row, "claim": None}]})[0][5]
    assert column == "share of the nominal ε"
    by_name = {line[1]: line[5] for line in table(made["matrix"])[1]}
    assert "of nominal" in by_name["EHDL"]
    assert "of nominal" not in by_name["MH"]


def test_a_share_just_above_the_claim_is_not_rounded_onto_it(own):
    row = {**own["matrix"]["rows"][0], "share": {"lower": "1.0000000001", "upper": "1.0000000001"}}
    (figure,) = figures({**own["matrix"], "rows": [row]})
    assert "100.00000001 %" in figure.wide[0].body
    assert "100.00000001 %" in figure.narrow[0].body


def test_who_is_absent_from_a_picture_is_named(made):
    section = made["renyi"]
    rows = [row for row in section["rows"] if row["mechanism"] == "MH"]
    assert "Not drawn, as not computed: EHDL." in figures({**section, "rows": rows})[-1].caption
    assert "Not drawn" not in figures(section)[-1].caption


def test_a_mechanism_has_one_colour_in_all_pictures(own):
    """Also where another one is absent: its slot is that of the document."""
    section = own["epsilon-by-n"]
    rows = [row for row in section["rows"] if row["mechanism"] == "Vague"]
    both, alone = (figures({**section, "rows": r})[0].wide[0].body for r in (section["rows"], rows))
    drawn = [re.search(r'data-s="Vague">.*?class="band (f\d)', body)[1] for body in (both, alone)]
    assert drawn[0] == drawn[1] == "f1"


def test_captions_do_not_speak_of_what_is_not_there(own):
    caption = figures(own["delta-curves"], list(own.values()))[0].caption
    assert "Leaky never gets to δ = 0" in caption
    unclaimed = {**own["epsilon-by-n"], "rows": [{**row, "claimed": None} for row in own["epsilon-by-n"]["rows"]]}
    assert "claimed" not in figures(own["delta-curves"], [unclaimed])[0].caption


def claim(name, document, verdict, establishes):
    return {"id": name, "document": document, "verdict": verdict, "establishes": establishes, "statement": "s"}


CLAIMS = [
    claim("one", "P1", "PROVED", "for all n, by algebra"),
    claim("two", "P1", "REFUTED", "by counterexample"),
    claim("three", "D2", "PROVED", "exhaustive on the grid"),
    claim("four", "D2", "MEASURED", "measured"),
]
BOARD = {"kind": "claims", "title": "Claims", "setting": {"claims": ["*"]}, "rows": CLAIMS}
MARGINS = {
    **{"kind": "margins", "title": "Margins", "setting": {"claims": ["*"]}},
    "rows": [
        {"id": "one", "verdict_of": "PROVED", "margin": {"lower": "0", "upper": "0"}},
        {"id": "two", "verdict_of": "REFUTED", "margin": {"lower": "0.5", "upper": "0.5"}},
    ],
}


@pytest.mark.parametrize("version", ["wide", "narrow"])
def test_the_claims_are_a_grid_of_document_and_verdict_with_the_strength_on_each_tile(version):
    (picture,) = getattr(figures(BOARD)[0], version)
    tree = ElementTree.fromstring(picture.svg())
    tiles = {a.get("href"): a for a in tree.iter("a")}
    assert set(tiles) == {"#one", "#two", "#three", "#four"}
    boxes = {name: tile.find("rect") for name, tile in tiles.items()}
    assert {name: tile.find("text").text for name, tile in tiles.items()} == {
        **{"#one": "∀", "#two": "c", "#three": "g", "#four": "m"},
    }
    assert all(box.find("title").text.startswith(f"{name[1:]}: ") for name, box in boxes.items())
    at = {name: (float(box.get("x")), float(box.get("y"))) for name, box in boxes.items()}
    assert at["#one"][0] == at["#three"][0] < at["#two"][0] < at["#four"][0], "a column a verdict"
    assert at["#one"][1] == at["#two"][1] < at["#three"][1] == at["#four"][1], "a row a document"
    words = {text.text for text in tree.iter("text")}
    assert {"P1", "D2", "Proved 2", "Refuted 1", "for all n, by algebra", "by counterexample"} <= words


def test_margins_stand_with_the_claims_and_what_is_refuted_at_the_left():
    assert len(figures(BOARD, [BOARD, MARGINS])) == 2
    assert figures(MARGINS, [BOARD, MARGINS]) == []
    (figure,) = figures(MARGINS)
    assert "1 of 2 inequalities and equations fail somewhere, two by the most, at least 0.5; 1 hold" in figure.caption
    tree = ElementTree.fromstring(figure.wide[0].svg())
    (refuted,) = [e.get("d") for e in tree.iter("path") if e.get("class") == "frefuted"]
    (proved,) = [float(e.get("cx")) for e in tree.iter("circle") if e.get("class") == "fproved"]
    assert float(refuted[1:].split(" ")[0]) < proved


def test_a_bound_that_is_closest_where_both_sides_are_nearly_one_says_how_nearly():
    near = {"lower": "0.99999999999", "upper": "1"}
    row = {"mechanism": "M", "x": [1, 1], "claim": "c", "t": {"lower": "0.5", "upper": "0.5"}, "outcome": "holds"}
    half = {"lower": "0.5", "upper": "0.5"}
    rows = [{**row, "exact": near, "value": near}, {**row, "exact": near, "value": half}]
    said = [line[-1] for line in table({"kind": "bounds", "rows": rows})[1]]
    assert said == ["holds; at the t shown both sides are 1 up to 1e-11", "holds"]


def test_a_probability_that_is_not_known_is_told_with_both_ends(own):
    rows = [{**row} for row in own["chain"]["rows"]]
    for row in rows:
        if row["step"] == "p":
            row["value"] = {"lower": "0.5", "upper": "0.75"}
    drawn = figures({**own["chain"], "rows": rows})[0].wide[0].body
    assert "in [0.5, 0.75]" in drawn
    assert drawn.count(' open"') == 1, "light from one end to the other"


def test_on_a_phone_a_share_says_of_what_it_is(made):
    narrow = figures(made["matrix"], list(made.values()))[0].narrow[0].body
    assert re.search(r">EHDL: [\d.]+ % of nominal<", narrow)
    assert re.search(r">MH: [\d.]+ %<", narrow)


def test_the_numbers_on_the_axis_of_margins_do_not_stand_on_each_other():
    many = [{**MARGINS["rows"][i % 2], "id": f"claim.with.a.long.name.{i}"} for i in range(60)]
    (figure,) = figures({**MARGINS, "rows": many})
    assert len(figure.wide) == 2, "side by side"
    for picture in (*figure.wide, *figure.narrow):
        texts = [t for t in ElementTree.fromstring(picture.svg()).iter("text") if "10" in t.text and t.get("y") == "30"]
        places = sorted(float(t.get("x")) for t in texts)
        assert len(places) >= 2
        assert all(b - a > 36 for a, b in pairwise(places)), places


def test_an_infinite_loss_does_not_spoil_the_scale_of_a_map():
    losses = [{"lower": "inf", "upper": "inf"}, {"lower": "-0.5", "upper": "-0.5"}]
    rows = [{"mechanism": "M", "x": 0, "losses": losses}]
    (figure,) = figures({"kind": "loss-map", "title": "t", "setting": {}, "rows": rows})
    assert "0.5" in figure.wide[1].body, "the key has the largest finite loss"
    assert 'data-v="∞ -0.5"' in figure.wide[0].body
    assert "All maps" not in figure.caption, "there is one"


def test_a_caption_speaks_of_n_only_where_there_is_one(made):
    facts = made["facts"]
    assert "at the largest n" in caption(facts)
    assert " n," not in caption({**facts, "setting": {}})


class ByN:
    """Randomized response whose claim grows with n."""

    def __init__(self, n=3):
        self.n = n

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return [0, 1]

    def probability(self, x, r):
        return Fraction(10 + self.n if x == r else 10, 20 + self.n)

    def claimed(self):
        return Fraction(self.n, 9)


def test_claims_that_differ_by_n_stand_at_their_n():
    sections = build(plan.Plan("t", "c", (plan.block({"n": "1..4", "mechs": [ByN]}),)), lambda text: None)["sections"]
    found = {section["kind"]: section for section in sections}
    by_n = shown(found, "epsilon-by-n")[1]
    assert by_n.count("claimed at each n: ByN") == 1
    assert "claimed ε" not in by_n
    curves = shown(found, "delta-curves")[1]
    assert "claimed 4/9-DP" in curves
    assert all(f"claimed ({other}, 0)" not in curves and f">ε = {other}<" not in curves for other in ("1/9", "1/3"))


class Wide:
    """A law that is known to two digits."""

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return [0, 1]

    def probability(self, x, r):
        return ("0.7", "0.75") if x == r else ("0.25", "0.3")

    def claimed(self):
        return "1.0995"


def audited(mech, **given):
    block = plan.block({"mechs": [mech], **given})
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    return {section["kind"]: section for section in sections}


def test_a_wide_number_is_shown_as_its_verdict_leaves_it():
    found = audited(Wide)
    (row,) = [row for row in found["facts"]["rows"] if row["quantity"] == "true ε"]
    assert row["shown"] == "[0.8472, 1.099]"
    for kind in ("facts", "worst-pairs", "chain", "epsilon-by-n"):
        assert any("[0.8472, 1.099]" in str(line) for _, lines in [table(found[kind])[:2]] for line in lines)
    drawn, text = shown(found, "worst-pairs")
    assert "at most 1.099 at output" in drawn[0].caption
    assert "Wide: loss ≤ 1.099" in text


def test_the_map_of_an_own_mechanism_names_its_own_n():
    assert audited(ByN, n="2..4")["loss-map"]["title"] == "Privacy loss of every pair, n = 4"


def test_a_curve_without_an_upper_bound_of_its_true_epsilon_is_not_said_to_end(made):
    by_n = made["epsilon-by-n"]
    rows = [{**row, "epsilon": {"lower": "0.4", "upper": "inf"}} for row in by_n["rows"]]
    caption = figures(made["delta-curves"], [{**by_n, "rows": rows}])[0].caption
    assert "Every curve is 0" not in caption
    assert "EHDL and MH" in caption


def test_who_claims_nothing_is_said_to_cross_the_nominal_epsilon(made):
    by_n = made["epsilon-by-n"]
    rows = [{**row, "nominal_verdict": "REFUTED" if row["n"] > 2 else "PROVED"} for row in by_n["rows"]]
    (drawn,) = figures({**by_n, "rows": rows}, [])
    assert "above the nominal ε first at n = 3 of those drawn" in drawn.caption


def test_the_audit_shows_every_assumption(monkeypatch):
    block = plan.block({"mechs": [Wide]})
    monkeypatch.setattr(type(block.cases[0].mechanism), "caveats", lambda self: {"assumptions": ["one", "two"]})
    assert ("assumes", "one; two") in list(_facts(block.cases[0]))


class Words:
    """Answers in words; one of them a crash that only one data set can cause."""

    name = "an answer in words, from a mechanism with a name that is long"

    def datasets(self):
        return ["nobody", "anna", "bert"]

    def outputs(self):
        return ["yes; most of them would say so", ("a", 1), "raises ValueError"]

    def probabilities(self, x):
        return {"nobody": ["1/2", "1/2", "0"], "anna": ["1/4", "1/2", "1/4"], "bert": ["1/4", "3/4", "0"]}[x]

    def claimed(self):
        return 1


def test_outputs_that_are_no_numbers_have_a_map_by_name():
    found = audited(Words)
    section, label = found["loss-data"], Words.name
    assert section["outputs"][label] == ["yes; most of them would say so", "(a, 1)", "raises ValueError"]
    assert [row["x"] for row in section["rows"]] == ["nobody", "anna", "bert"]
    losses = [row["losses"] for row in section["rows"]]
    assert losses[0][2] is None, "impossible for the data set itself"
    assert losses[1][2] == {"lower": "inf", "upper": "inf"}, "impossible for its neighbours"
    low, high = (Decimal(losses[0][0][end]) for end in ("lower", "upper"))
    assert low < Decimal("0.693147180559945309417") < high, "ln 2, against either neighbour"
    (figure,) = figures(section, list(found.values()))
    tree = ElementTree.fromstring(figure.wide[0].svg())
    words = [element.text for element in tree.iter("text")]
    assert {"nobody", "anna", "bert", "raises ValueError", "∞", "–"} <= set(words)
    assert any(word.startswith("yes; most") and word.endswith("…") for word in words)
    assert words[0].endswith(": loss = ∞"), "the name is cut, the number is not"
    assert len([e for e in tree.iter("circle") if e.get("class") == "ring"]) == 1
    (cells,) = [e for e in tree.iter("g") if e.get("class") == "cells"]
    assert cells.get("data-n").split("␞")[1].split("␟")[2] == "raises ValueError"
    assert "x = anna, output raises ValueError" in figure.caption
    assert table(section)[1][0][1:4] == ["anna", "nobody", "raises ValueError"]


def test_a_map_by_name_is_cut_to_the_largest_losses_and_says_so(monkeypatch):
    monkeypatch.setattr(data_maps, "MOST_SHOWN", 2)
    section = audited(Words)["loss-data"]
    assert [row["x"] for row in section["rows"]] == ["nobody", "anna"]
    assert section["outputs"][Words.name] == ["yes; most of them would say so", "raises ValueError"]
    (figure,) = figures(section)
    assert "Those of largest loss; 1 more data set and 1 more output." in figure.wide[0].body


def test_a_mechanism_with_another_kind_of_map_is_not_said_to_be_missing():
    block = plan.Block.read([Words, "EHDS"], n="2")
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    maps = [section for section in sections if section["kind"] in ("loss-map", "loss-data")]
    assert len(maps) == 2
    assert not any("Not drawn" in figures(section, sections)[-1].caption for section in maps)


class Pairs:
    """Data sets that are tuples, and a name that is long."""

    def __init__(self, name):
        self.name = name

    def datasets(self):
        return [("a", 1), ("b", (2, "c"))]

    def outputs(self):
        return [("a", 1), ("b", 2)]

    def probability(self, x, r):
        return Fraction(2, 3) if x[0] == r[0] else Fraction(1, 3)

    def claimed(self):
        return 1


def test_tuples_are_written_as_the_command_line_takes_them():
    mechanism = Pairs("P")
    assert dpaudit.epsilon(mechanism).to_dict()["witness"] == {
        "x": "(a, 1)",
        "x_prime": "(b, (2, c))",
        "output": "(a, 1)",
    }
    assert dpaudit.pmf(mechanism, "(b, (2, c))").to_dict()["outputs"][0]["output"] == "(a, 1)"


def test_long_names_that_differ_at_their_ends_are_told_apart_and_no_line_crosses_them():
    names = [f"a mechanism of which the name is very long indeed, so that it is cut: number {i}" for i in (1, 2)]
    block = plan.Block.read([Pairs(name) for name in names])
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    (figure,) = figures(sections[0], sections)
    for drawn in (*figure.wide, *figure.narrow):
        tree = ElementTree.fromstring(drawn.svg())
        words = [e for e in tree.iter("text") if (e.text or "").startswith("a mech")]
        assert len({e.text for e in words}) == 2
        places = [float(e.get("y")) for e in words]
        rules = [re.findall(r"[\d.]+", e.get("d")) for e in tree.iter("path") if e.get("class") == "rule"]
        assert rules
        assert not any(float(top) < y - 4 < float(foot) for _, top, _, foot in rules for y in places)


def test_the_words_of_claims_do_not_stand_on_each_other_nor_on_rings():
    rings = [
        (1.0, 0.0, "claimed 1-DP, (1, 1e-8)-DP"),
        (1.2, 0.0, "claimed 6/5-DP"),
        (2.0, 1e-4, "claimed (2, 1e-4)-DP"),
    ]
    curve = Curve("M", [(0.0, 0.5), (1.0, 1e-3)])
    drawn = Chart([curve], "ε", "δ", log_y=True, inside=True, marks=rings).draw(HALF, "alt").svg()
    tree = ElementTree.fromstring(drawn)
    words = [e for e in tree.iter("text") if "halo" in (e.get("class") or "")]
    assert len(words) == 4
    boxes = []
    for e in words:
        x, wide = float(e.get("x")), width_of(e.text)
        boxes.append((x - wide if e.get("class").startswith("e") else x, float(e.get("y")) - 4, wide))
    boxes += [
        (float(e.get("cx")) - 5, float(e.get("cy")), 10.0) for e in tree.iter("circle") if e.get("class") == "ring"
    ]
    for i, (a, b, wide) in enumerate(boxes):
        for c, d, other in boxes[:i]:
            assert a > c + other or c > a + wide or abs(b - d) >= 7.5


def test_facts_stand_in_one_order_though_the_first_mechanism_lacks_some(made):
    lines = [row[0] for row in table(made["facts"])[1]]
    assert lines.index("claimed") + 1 == lines.index("verdict")
    assert lines[-1] == "working precision"
