"""Numbers beside verdicts: wide enclosures, laws with a residual, audits in part; every place shows what is said."""

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest

import dpaudit
from dpaudit.numbers.digits import beside, percent, short, shown, written
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.reports import html, markdown, plan
from dpaudit.reports.charts import figures
from dpaudit.reports.report import build
from dpaudit.reports.tables import table
from dpaudit.reports.verdict import facts, headline

F = Fraction


def made(mechs, **setting):
    block = plan.block({"mechs": mechs if isinstance(mechs, list) else [mechs], **setting})
    return build(plan.Plan("t", "c", (block,)), lambda text: None)


class Wide:
    """Two outputs, known to enclosures only: the true epsilon lies in [0.84729..., 1.09861...]."""

    goal: str | None = None

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["a", "b"]

    def probability(self, x, r):
        return ("0.7", "0.75") if (x == 0) == (r == "a") else ("0.25", "0.3")

    def claimed(self):
        return self.goal


class Unclaimed(Wide):
    """Claims nothing, and has a nominal epsilon."""

    epsilon = "1.0987"


def claiming(goal):
    return type("Claims", (Wide,), {"goal": goal})


INTERVAL = re.compile(r"\[([\d.]+), ([\d.]+)\]")


def seen(page):
    """Yields the intervals of a page that are about the true epsilon, or the loss at the worst output."""
    for line in page.split("\n"):
        for low, high in INTERVAL.findall(line.replace("\\", "")):
            if "P_x(r) |" not in line.replace("\\", "") and F(low) > F("0.8"):
                yield F(low), F(high)


@pytest.mark.parametrize(
    ("goal", "word", "kept"),
    [
        ("1.0987", "HOLDS ON WHAT WAS AUDITED", lambda low, high: high <= F("1.0987")),
        ("1.098613", "HOLDS ON WHAT WAS AUDITED", lambda low, high: high <= F("1.098613")),
        ("0.8472", "NOT PRIVATE", lambda low, high: low > F("0.8472")),
        ("0.847297", "NOT PRIVATE", lambda low, high: low > F("0.847297")),
        ("1", "UNDECIDED", lambda low, high: low < 1 < high),
    ],
)
def test_every_wide_enclosure_shows_the_verdict_beside_it(goal, word, kept):
    result = made(claiming(goal))
    assert result["verdict"]["word"] == word
    for page in (markdown.render(result, {}), html.render(result), str(result["verdict"]["text"])):
        found = list(seen(page))
        assert found
        assert all(kept(*ends) for ends in found), found
    answer = dpaudit.epsilon(claiming(goal))
    for page in (str(answer), re.sub("<[^>]*>", " ", answer._repr_html_())):
        assert all(kept(*ends) for ends in seen(page))
        assert len(list(seen(page))) >= 1
    kept_there = answer.to_dict()["epsilon"]
    assert kept(F(kept_there["lower"]), F(kept_there["upper"]))


@pytest.mark.parametrize(("goal", "words"), [("0.847297", "[0.8472978, 1.098613]"), ("1.0987", "[0.84729, 1.0987]")])
def test_a_map_by_name_shows_the_verdict_at_its_worst_cell(goal, words):
    sections = made(claiming(goal))["sections"]
    (section,) = [section for section in sections if section["kind"] == "loss-data"]
    assert shown(table(section)[1][0][-1]) == section["worst"]["Claims"]["shown"]
    (figure,) = figures(section, sections)
    assert f"the largest, in {section['worst']['Claims']['shown']}, at x = 0" in figure.wide[0].alt
    assert f"loss in {words}" in figure.wide[0].body


def test_a_wide_enclosure_shows_how_it_stands_to_the_nominal_epsilon():
    result = made(Unclaimed)
    assert result["verdict"]["word"] == "NO CLAIM"
    assert all(high <= F("1.0987") for _, high in seen(markdown.render(result, {})))
    assert "does not exceed its nominal" in dpaudit.epsilon(Unclaimed)._repr_html_()


def test_a_share_of_a_wide_number_is_on_its_side_of_100():
    assert percent({"lower": "1.00001", "upper": "1.3"}) == "between 100.001 % and 130 %"
    assert percent({"lower": "0.7", "upper": "0.999999"}) == "between 70 % and 99.9999 %"
    assert percent({"lower": "1.000001", "upper": "inf"}) == "at least 100.0001 %"
    text = made(claiming("0.847297"))["verdict"]["text"]
    assert F(re.search(r"between ([\d.]+) %", text)[1]) > 100


def test_probabilities_of_fixed_width_keep_the_digits_of_their_ends():
    found = dpaudit.pmf(Wide, 0).probabilities[0]
    assert F("0.6999999") < found.lower <= F("0.7")
    assert F("0.75") <= found.upper < F("0.7500001")


# ------------------------------------------------------------------ the law of code, followed in part


class Endless:
    """A loop that has no end: what is left of it is the residual."""

    budget = {"residual": "1e-4"}  # noqa: RUF012

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        k = x
        while rng.random() < 0.5:
            k += 1
        return k

    def claimed(self):
        return 20, "0.51"


class Borders(Endless):
    """Two floats decide together: the seconds end it."""

    budget = {"residual": "1e-9", "seconds": 1}  # noqa: RUF012

    def sample(self, x, rng):
        return x if rng.random() + rng.random() < 1.2 else 1 - x

    def claimed(self):
        return 2, "0.3"


def test_the_verdict_names_the_residual_and_what_it_rests_on():
    result = made(Endless)
    verdict = result["verdict"]
    assert verdict["word"] == "HOLDS ON WHAT WAS AUDITED"
    residual = verdict["caveats"]["residual"]
    assert 0 < F(residual) <= F("1e-4")
    assert f"At most {residual} of the probability was not followed" in verdict["text"]
    lines = dict(facts(verdict))
    assert residual in lines["residual"]
    assert "the random source is perfect" in lines["assumes"]
    for page in (markdown.render(result, {}), html.render(result)):
        assert "the random source is perfect" in page.split("Not covered")[0]
    assert "another run" not in html.render(result)


def test_the_claim_stands_in_the_picture_of_delta_however_far_it_is():
    sections = {section["kind"]: section for section in made(Borders)["sections"]}
    (figure,) = figures(sections["delta-curves"], list(sections.values()))
    assert "What is claimed is ringed" in figure.caption
    assert "2" in {row["at"] for row in sections["delta-curves"]["rows"]}


def test_what_seconds_ended_is_said_to_have_another_hash_in_another_run():
    result = made(Borders)
    assert result["verdict"]["caveats"]["timed"] is True
    for page in (markdown.render(result, {}), html.render(result)):
        assert "The seconds of a budget ended the code of Borders: another run has other ends" in page
        assert "The same inputs give the same content hash" not in page
    (source,) = [r["value"] for s in result["sections"] for r in s["rows"] if r.get("quantity") == "source"]
    assert "Borders" in source
    assert "another run finds another residual" in str(dpaudit.epsilon(Borders))


def test_a_number_that_is_only_bounded_reads_as_such():
    text = markdown.render(made(Borders), {})
    assert "= ≤" not in text
    assert "| ≤" not in text.split("| the verdict |")[1].split("\n")[0]
    assert percent({"lower": "0", "upper": "0.1174"}) == "at most 11.74 %"
    assert beside({"lower": "0.7509", "upper": "0.7569"}, F(1), "PROVED") == "[0.75, 0.757]"


def test_a_ring_among_equals_says_so():
    block = plan.block({"mechs": ["EHDS", "LSHist"], "n": "1..4", "k": "2"})
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    (section,) = [section for section in sections if section["kind"] == "loss-map"]
    (figure,) = figures(section, sections)
    assert "EHDS at the pair (0, 1), output 0 (one of 2 as large)" in figure.caption
    assert "As large: equal in size to every digit that was computed." in figure.caption
    assert "six digits" not in figure.caption


# ------------------------------------------------------------------ the summary


class Response:
    """Randomised response with odds e^(1/2) : 1, at every n."""

    bad: ClassVar[set[int]] = set()

    def __init__(self, n):
        self.n = n

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return [0, 1]

    def probability(self, x, r):
        if self.n in self.bad:
            raise ValueError("boom")
        odds = dpaudit.exp("1/2")
        return odds / (1 + odds) if x == r else 1 / (1 + odds)

    def claimed(self):
        return 1


def variant(name, **members):
    return type(name, (Response,), {"__module__": __name__, **members})


def silent(self):
    return None


def refusing(self, n):
    if n == 2:
        raise ValueError("not at n = 2")
    self.n = n


SUMMARIES = {
    "Broken": (
        variant("Broken", bad={2}),
        "1 not audited",
        ("UNDECIDED at n = 2", "holds at n = 1,3", "not audited: n = 2: ", "boom"),
    ),
    "Absent": (
        variant("Absent", __init__=refusing),
        "2 PROVED",
        ("HOLDS ON WHAT WAS AUDITED (n = 1,3)", "there is no mechanism at n = 2: ", "not at n = 2"),
    ),
    "Whole": (variant("Whole"), "3 PROVED", ("HOLDS ON WHAT WAS AUDITED (n = 1..3), 50 % of the claim",)),
    "Free": (variant("Free", claimed=silent), "3 NO CLAIM |", ("NO CLAIM; its largest true ε of n = 1..3 is 0.5",)),
    "Above": (
        variant("Above", claimed=silent, epsilon="1/4"),
        "3 NO CLAIM (above the nominal ε) |",
        ("NO CLAIM: true ε exceeds its nominal ε, first at n = 1, 200 % of its nominal ε = 1/4",),
    ),
    "Within": (
        variant("Within", claimed=silent, epsilon=1),
        "3 NO CLAIM (within the nominal ε) |",
        ("NO CLAIM: true ε stays within its nominal ε at n = 1..3",),
    ),
    "Partly": (
        variant("Partly", claimed=silent, epsilon=1, bad={2}),
        "2 NO CLAIM (within the nominal ε), 1 not audited |",
        ("NO CLAIM: true ε is undecided against its nominal ε at n = 2", "within it at n = 1,3"),
    ),
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_summary_says_what_was_audited_and_what_not(name):
    mechanism, verdicts, said = SUMMARIES[name]
    result = made(mechanism, n="1..3")
    line = markdown.render(result, {}).split("## Summary")[1].split("\n")[4].replace("\\", "")
    assert verdicts in line
    for words in said:
        assert words in line
    assert re.sub("<[^>]*>", " ", html.render(result)).count(said[0]) >= 1
    assert verdicts.split()[1] in html.render(result).split("<h2>Summary</h2>")[1].split("</table>")[0]


def test_the_headline_names_the_n_that_is_open_not_those_that_are_known():
    result = made(SUMMARIES["Partly"][0], n="1..3")
    assert headline(result["verdict"]).endswith("is undecided against its nominal ε at n = 2")
    assert "It does not exceed it at n = 1,3." in result["verdict"]["text"]


def test_no_n_stands_beside_a_largest_that_may_be_elsewhere():
    def probability(self, x, r):
        return ("0.2", "0.8") if self.n == 2 else Response.probability(self, x, r)

    (rows,) = [s["rows"] for s in made(variant("Open", probability=probability), n="1..3")["sections"][:1]]
    ((*_, place, _share, _known, _pair),) = table({"kind": "matrix", "rows": rows, "setting": {}})[1]
    assert (rows[0]["word"], place) == ("UNDECIDED", "")


# ------------------------------------------------------------------ one spelling of numbers

BY_ITSELF = re.compile(r"\{[^{}]*:[^{}\"']*\.\d+[ge]\}|:g\}|\"e[-+]0|\.str\(\d")
"""A format of significant digits or of a power of ten; places after the point, as of seconds and pixels, are none."""
PICTURES = ("pictures/", "reports/charts")
"""Ticks and tips of pictures, which have a scale of their own."""
WITHOUT = ("evidence/verifier/", "numbers/errors.py", "files/coqc.py", "reports/collect.py")
"""The verifier shares nothing; GiB and seconds; the steps of a grid, which are exact numbers from then on."""


def test_no_module_spells_numbers_by_itself():
    root = Path(dpaudit.__file__).parent
    paths = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.py")}
    kept = {name: source for name, source in paths.items() if not name.startswith((*PICTURES, *WITHOUT))}
    assert not [f"{name}: {found[0]}" for name, source in kept.items() for found in BY_ITSELF.finditer(source)]


class Tiny(Wide):
    """Loses 1e-8 at most, and claims as little, with as small a delta."""

    def probability(self, x, r):
        return F(1, 2) + (F(1, 10**8) if (x == 0) == (r == "a") else -F(1, 10**8))

    def claimed(self):
        return F(1, 10**9), F(1, 10**6)


def test_a_small_number_has_one_spelling_everywhere(tmp_path, capsys):
    result, answer = made(Tiny), dpaudit.epsilon(Tiny)
    pages = [markdown.render(result, {}), result["verdict"]["text"], str(answer), answer._repr_html_()]
    pages += [str(answer.to_dict()["guarantee"]["text"]), answer.claim.guarantee.text()]
    for page in pages:
        assert "(1e-9, 1e-6)-DP" in page
        assert not re.search(r"\d[eE][-+]0|\dE-|1/100000|10\^-|e\+", page)
        assert "0.00000" not in page


@pytest.mark.parametrize("text", ["1e-5", "0.0001", "9.5e-7", "1e-40", "0.00012345", "1e20", "-3e-9", "12345678.25"])
def test_an_enclosure_spells_its_ends_as_reports_do(text):
    value = F(text)
    found = Enclosure(value, value, 60)
    assert str(found) == found.to_dict()["lower"] == text
    assert written(Decimal(text)) == text
    assert F(found.to_dict()["lower"]) == value


def summary(result):
    return markdown.render(result, {}).split("## Summary")[1].split("## ")[0].replace("\\", "")


def test_a_share_of_delta_names_its_n_and_the_summary_the_n_that_fails_first():
    result = made(["MHdelta"], n="1..4", delta="1e-8", claim="eps=1/2,delta=1/1000")
    assert "δ is 4796 % of the claim at n = 3." in result["verdict"]["text"]
    found = dpaudit.delta("MHdelta", "1/2", n=3, delta="1e-8").delta
    assert F("47.955") < found.lower * 1000 < found.upper * 1000 < F("47.965")
    assert "NOT PRIVATE, first at n = 2" in summary(result)
    (section,) = [section for section in result["sections"] if section["kind"] == "facts"]
    assert "dpaudit judge --mech MHdelta --n 4" in section["command"]
    assert "dpaudit epsilon --mech MHdelta --n 4" in section["command"]


def test_of_several_without_a_claim_the_headline_says_whose_epsilon_it_is_about():
    result = made([variant("Free", claimed=silent), variant("Within", claimed=silent, epsilon=1)], n="1..2")
    assert headline(result["verdict"]).startswith("NO CLAIM: true ε of Within stays within")


def test_accuracy_bounds_are_counted_and_named_by_their_mechanism():
    study = {"kind": "accuracy", "mechs": ["MH", "MHdelta"], "x": "3,3", "delta": "1e-8"}
    line = summary(build(plan.Plan("t", "c", studies=(study,)), lambda text: None))
    assert "4 fail, 5 hold |" in line
    assert "acc.mh-tight.stated of MH, " in line
    assert "acc.mh-tight.stated of MHdelta, " in line


def test_few_digits_are_shown_only_where_few_are_known():
    assert short({"lower": "0.099849", "upper": "0.09986"}) == "[0.0998, 0.0999]"
    assert short({"lower": "0.0805", "upper": "0.0812"}) == "[0.0805, 0.0812]"
    assert short({"lower": "0.4999999999", "upper": "0.5000000001"}) == "0.5"
    assert short({"lower": "0.6632405", "upper": "0.66324051"}) == "0.66324"
