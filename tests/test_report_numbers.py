"""Numbers beside verdicts: wide enclosures, laws with a residual, audits in part; every place shows what is said."""

import re
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.numbers.digits import percent
from dpaudit.reports import html, markdown, plan
from dpaudit.reports.report import build

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
    shown = dpaudit.epsilon(claiming(goal))
    for page in (str(shown), re.sub("<[^>]*>", " ", shown._repr_html_())):
        assert all(kept(*ends) for ends in seen(page))
        assert len(list(seen(page))) >= 1
    kept_there = shown.to_dict()["epsilon"]
    assert kept(F(kept_there["lower"]), F(kept_there["upper"]))


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
