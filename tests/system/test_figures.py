"""Figures within the text are computed, not remembered: each is in an output that the page shows, or computed here."""

import json
import math
import re
from fractions import Fraction

import pytest
from pages import NOTEBOOKS, PAGES, ROOT, parts, prose

import dpaudit

EXAMPLE = "dpaudit.examples."


def up(enclosure, places):
    """Returns a bound from above to so many places, outward."""
    return f"{math.ceil(enclosure.upper * 10**places) / 10**places:.{places}f}"


def down(enclosure, places):
    return f"{math.floor(enclosure.lower * 10**places) / 10**places:.{places}f}"


def near(enclosure, places):
    """Returns the number rounded to so many places."""
    return f"{float(enclosure.lower):.{places}f}"


def leading(enclosure, places):
    """Returns the first digits, as in 0.52440…"""
    return f"{down(enclosure, places)}…"


# ------------------------------------------------------------------ what is computed: words that must stand on the page


def meaning():
    named, audited = dpaudit.explain("1"), dpaudit.explain(mech="EHDS", n=100)
    yield f"| as claimed | ε = 1 | {up(named.accuracy, 4)} |"
    yield f"| audited | ε = {near(audited.epsilon, 4)} | {up(audited.accuracy, 4)} |"
    own = f"advantage {near(audited.attained_advantage, 4)} | {up(audited.attained, 4)} |"
    yield f"| its own distributions | {own}"
    promised = dpaudit.explain("0.4", rates="1/100", beliefs="1/10,1/100", releases="10")
    yield f"the hit rate minus the false-alarm rate, here at most {up(promised.advantage, 4)}"
    yield f"detects at most {near(promised.tests[0][1].times(100), 1)} % of the people with the trait"
    yield f"a belief of 1/10 that you have the disease becomes at most {near(promised.beliefs[0][2], 3)}"
    yield f"a belief of 1/100 at most {near(promised.beliefs[1][2], 4)}"
    factor = near(dpaudit.explain("0.4", beliefs="1/2").odds[0][2], 2)
    yield rf"multiplied or divided by $e^{{0.4}} \approx {factor}$ at most"
    yield f"it is at most {factor} times better than chance"
    yield f"add up to ε = 4, and the best guess is right with probability {near(promised.releases[0][3], 2)}"


def first_step():
    audited = dpaudit.explain(mech="EHDS", n=100)
    here = f"this one keeps it at {up(audited.attained, 3)}"
    yield f"keeps the best guess at {up(audited.accuracy, 3)} or below; {here}"
    yield f"in fact it is far more private, with ε = {near(audited.epsilon, 1)}."
    yield from worst_case()


def worst_case():
    found = dpaudit.epsilon("EHDS", n=100)
    counts = f"if {found.witness.x[0]} of 100 people have a trait instead of {found.witness.x_prime[0]}"
    yield f"{counts}, the output {found.witness.output} becomes $e^{{{near(found.epsilon, 1)}}}$ times as likely"


def second_step():
    found = dpaudit.judge("EHDL", "eps=1", n=137, prior="1/10,1/10").evidence.value
    yield f"by a hair: {near(found, 6)} > 1"
    yield f"An ε of {near(dpaudit.epsilon('EHD', n=1, prior='1,1/1000').epsilon, 2)} instead of 1 costs"


def refuting():
    found = dpaudit.judge("EHDL", "eps=1", n=137, prior="1/10,1/10").evidence.value
    yield f"By {float(found.lower) - 1:.6f}: no statistical test would see it"


def own_notebook():
    """With the class that the notebook itself shows."""
    (path,) = [path for path in NOTEBOOKS if path.stem == "your-own-mechanism"]
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    names = {}
    exec("".join(cells[0]["source"]), names)
    found = dpaudit.epsilon(names["Degrees"], eps=1)
    exactly = f"the true ε is exactly {found.closed_form_text}, by algebra"
    yield f"**{found.claim.verdict.value}**, and not by a hair: {exactly}"
    yield f"at output {found.witness.output} the two probabilities differ by a factor of $e^2$"


def sensitivities():
    constant = dpaudit.sensitivity(1).gs
    assert dpaudit.sensitivity(1, prior="1/2,1/2").gs.lower > constant.upper  # for some priors GS is larger
    digits = leading(constant, 4).removesuffix("…")
    yield rf"$\sqrt{{1 - \pi/4}} = {digits}\ldots$, the number that the documents take"


def calibrated():
    exact, one = dpaudit.calibrate("LSDim", n=20, k=3), dpaudit.calibrate("EHDS", n=100, target=1)
    yield f"`dpaudit calibrate --mech LSDim --n 20 --k 3` gives {exact.nominal}."
    yield f"So EHDS can be run at ε = {float(one.nominal)} and is still 1-differentially private"
    many = dpaudit.calibrate_gamma("MH", n=40, target="1/2")
    (usual,) = [row for row in many.tried if row.gamma == 1]
    ends = f"γ between {min(many.equal)} and {max(many.equal)} gives {near(many.best.mean, 4)}"
    yield f"Here a {ends}, and the documents' γ = 1 gives {near(usual.mean, 4)}"
    every = dpaudit.calibrate("EHDS", n="all", target=1)
    yield f"`dpaudit calibrate --mech EHDS --n all --target 1` gives {float(every.nominal)}."


def compared():
    result = dpaudit.compare("50,50")
    rows = {entry.label: entry for entry in result.entries}
    least, ehds = min(rows.values(), key=lambda row: row.nominal.mean.lower), rows["EHDS"]
    means = f"{near(least.nominal.mean, 4)}; that of EHDS is {near(ehds.nominal.mean, 4)}"
    yield f"{least.label} has the smallest mean error, {means}"
    yield f"really {down(ehds.nominal.true, 5)}-private. Run at nominal {float(ehds.calibrated.nominal)}"
    yield f"its mean error falls to {near(ehds.calibrated.mean, 4)}"
    yield f"the winner is {result.winner}, with {near(rows[result.winner].calibrated.mean, 4)}"


def crossing():
    def at(result, better, worse):
        return next(c.at for c in result.crossovers if (c.better, c.worse) == (better, worse))

    figure = dpaudit.compare_over_n(range(2, 321, 2), mechs="MH,LSDim,LSHist")
    lost, won = at(figure, "LSDim", "MH"), at(figure, "MH", "LSDim")
    yield f"MH loses to the baseline LSDim from n = {lost} and beats it again from n = {won}"
    prior = at(dpaudit.compare_over_priors(range(1, 13), "5,5,5", "4/5", mechs="MHdelta,LSHist"), "MHdelta", "LSHist")
    yield f"MHdelta beats LSHist from the prior ({prior}, {prior}, {prior}) on"
    share = {"share": "1/10,9/10", "mechs": "MHdelta,LSDim,LSHist"}
    (last,) = dpaudit.compare_over_n(range(1600, 1701, 10), "4/5", **share).crossovers
    assert last.better == "MHdelta"
    yield f"MHdelta beats the Laplace mechanism {last.worse} on 10/90 data from n = {last.at} (the text says 650)"


def every_n():
    for name in ("EHD", "EHD/exact", "EHDL", "EHDS", "MH"):
        found = dpaudit.epsilon(name, n="all", digits=8)
        where = "as n → ∞" if found.attained is None else f"at n = {found.attained}"
        limit = "0.5" if name == "EHD/exact" else leading(found.limit, 5)
        yield f"| {name} | {leading(found.epsilon, 5)} | {where} | {limit} |"
    yield f"EHDS at ε = 1 is {up(dpaudit.epsilon('EHDS', n='all').epsilon, 4)}-DP"
    yield f"at most {up(dpaudit.epsilon('EHDL', n=100, eps='all').ratio, 4)} ε, and no smaller factor"
    yield f"finds the nominal ε {float(dpaudit.calibrate('EHDS', n='all', target=1).nominal)}:"


def every_n_and_epsilon():
    yield f"true ε ≤ {leading(dpaudit.epsilon('EHDL', n='all', eps='all').ratio, 10)}·ε"
    ehd, exact = (dpaudit.epsilon(name, n="all", eps="all", digits=8) for name in ("EHD", "EHD/exact"))
    yield f"at a small n: {leading(ehd.ratio, 8)}·ε at n = {ehd.attained}, and {leading(exact.ratio, 8)}·ε"
    yield f"at n = {exact.attained} for EHD/exact"


def small_gamma():
    found = dpaudit.epsilon("EHDS", n="all", eps=4, gamma="1/3", digits=6)
    yield f"at ε = 4 tends to {leading(found.limit, 5)}, which is its supremum"
    far = dpaudit.epsilon("EHDS", n=10**9, eps=4, gamma="1/3", digits=8).epsilon
    yield f"at n = 10⁹ an audit still gives {leading(far, 5)}"


def far_out():
    found = dpaudit.epsilon("EHD/exact", n="all", eps=16)
    yield f"has its largest true ε, {leading(found.epsilon, 5)}, near n = {round(int(found.attained), -3)}"


def priors():
    found = dpaudit.epsilon("EHDL", n=200, prior="1/100..2,1/100..2")
    proved, refuted, left = (float(share) for share in (found.proved, found.refuted, found.undecided))
    yield f"{proved:.1%} proved, {refuted:.1%} refuted, {left:.0%} undecided".replace("%", " %")
    below, above = (dpaudit.epsilon("EHDL", n=200, prior=f"{entry},1").epsilon for entry in ("0.162", "0.164"))
    assert above.upper < 1 < below.lower
    yield "above about 0.163, and it is not if one of them is below"


def searched():
    def ratio(mech, **region):
        found = dpaudit.search(mech, **region)
        return found, found.largest.ratio

    ehd, most = ratio("EHD")
    assert (ehd.minimal_n, dpaudit.epsilon("EHD", n=1, prior="1,1/1000").claim.verdict.value) == (1, "REFUTED")
    yield f"violated from n = 1, for instance with the prior (1, 1/1000) | {near(most, 4)} |"
    two, most = ratio("EHDL")
    yield f"the smallest n found is also {two.minimal_n}, and the largest ratio about {near(most, 4)}"
    three, larger = ratio("EHDL", k=3, n="1..12")
    where = f"smallest n found {two.minimal_n} (k = 3: n = {three.minimal_n})"
    yield f"{where} | {near(most, 4)} (k = 3, n ≤ 12: {near(larger, 2)}) |"
    exact, most = ratio("EHD/exact")
    assert not exact.found
    yield f"| EHD, exact GS | nothing found | {near(most, 4)} |"
    (smooth,) = {near(ratio(name)[1], 3) for name in ("EHDS", "MH")}
    yield f"| EHDS, MH (γ = 1) | nothing found | {smooth} |"
    closed = ", ".join(f"{float(ratio(name)[1].upper):g}" for name in ("LSHist", "LSZhang", "LSDim"))
    yield f"| LSHist, LSZhang, LSDim | none, in closed form | {closed} |"


def examples():
    def true(name):
        return dpaudit.epsilon(EXAMPLE + name)

    for name, words in {
        "randomized_response:RandomizedResponse": ", `SpinnerResponse` | exactly {};",
        "geometric:TruncatedGeometric": " | exactly {} |",
        "geometric:WrongSensitivity": " | **buggy**: exactly {} |",
        "noisy_max:ReportNoisyMax": " | exactly {} |",
        "noisy_max:ClippedNoisyMax": " | **buggy**: counts clipped before the comparison; exactly {} |",
    }.items():
        factor = Fraction(true(name).closed_form_text)
        number = f"{factor.numerator if factor.numerator > 1 else ''}ε"
        yield f"| `{name}`{words.format(number if factor.denominator == 1 else f'{number}/{factor.denominator}')}"
    assert true("sparse_vector:BrokenSparseVector").epsilon.is_infinite
    yield "`sparse_vector:BrokenSparseVector` | **broken**, a well-known case: infinite |"
    common, median = (near(true(f"exponential_mechanism:{name}").epsilon, 3) for name in ("MostCommon", "Median"))
    yield f"`exponential_mechanism:MostCommon`, `Median` | {common}, {median}:"
    yield f"`permute_and_flip:PermuteAndFlip` | {near(true('permute_and_flip:PermuteAndFlip').epsilon, 3)} |"
    yield f"`log_beta:PosteriorRelease` | {near(true('log_beta:PosteriorRelease').epsilon, 3)} (it is EHD with"
    yield f"in the sensitivity; {near(true('log_beta:LogBetaSlip').epsilon, 3)} |"
    assert true("float_geometric:FloatGeometric").epsilon.is_infinite
    delta = dpaudit.delta(f"{EXAMPLE}float_geometric:FloatGeometric", 1).delta
    yield f"its code: infinite, δ(1) = {float(delta.lower) * 1e15:.1f}·10⁻¹⁵"


def filing():
    releases = ["gaussian:sigma=1.1,rate=256/60000 x 4688", "laplace:eps=1/10"]
    spent = dpaudit.account(releases, delta="1e-6", claim="eps=2,delta=1e-6")
    ((_, epsilon),) = spent.epsilons
    yield f"together satisfy ({up(epsilon, 5)}, 10⁻⁶)-differential privacy"


FIGURES = {
    "docs/what-epsilon-means": (meaning,),
    "docs/tutorial/1-audit": (first_step,),
    "docs/tutorial/4-refute": (second_step,),
    "docs/notebooks/first-audit": (worst_case,),
    "docs/notebooks/refuting-ehdl": (refuting,),
    "docs/notebooks/your-own-mechanism": (own_notebook,),
    "docs/mechanisms": (sensitivities,),
    "docs/calibrate": (calibrated,),
    "docs/compare": (compared, crossing),
    "docs/account": (filing,),
    "docs/forall": (every_n, every_n_and_epsilon, small_gamma, priors, far_out),
    "docs/search": (searched,),
    "docs/own-mechanism": (examples,),
}
"""By page what computes the words with figures that must stand there."""
LONG = (every_n, every_n_and_epsilon, small_gamma, priors, far_out, searched)
"""Ten seconds and more each, with --long only; without it their pages may have figures that nothing else computes."""


# ------------------------------------------------------------------ and no other figure stands anywhere

DECIMAL = re.compile(r"(?<![\w.^])\d+\.\d+(?![\w.])")
NUMBER = re.compile(r"\d+\.\d+")
NO_RESULT = {
    "README": ("3.11", "0.5", "1.3"),
    "docs/README": ("3.11",),
    "docs/tutorial/1-audit": ("3.11", "0.4"),
    "docs/tutorial/2-your-own": ("0.1",),
    "docs/accuracy": ("4.5", "0.8"),
    "docs/claims": ("0.1",),
    "docs/code": ("0.3", "0.2"),
    "docs/certificates": ("0.12",),
    "docs/coq": ("3.3", "7.6", "2.1", "3.9", "5.1", "5.3"),
    "docs/enclosures": ("0.4165", "0.4167", "2.8631", "2.8633", "1.57", "0.0001"),
    "docs/fast": ("2.6", "0.6", "1.4"),  # seconds, measured once
    "docs/mechanisms": ("4.5", "5.1", "5.6", "4.2", "3.3", "3.6", "1.6", "3.4"),
    "docs/own-mechanism": ("0.5", "0.1"),
    "docs/reports": ("0.9", "1.1"),
    "docs/what-epsilon-means": ("0.4",),
    "docs/why-exact": ("1.1", "0.01", "4.6026", "10.03", "1.7626"),
}
"""What is no result of dpaudit: versions, items and figures of papers, examples of notation, times measured once."""


def shown_numbers(path):
    """Returns the numbers of the blocks of a page, or of the outputs of a notebook."""
    if path.suffix == ".ipynb":
        return NUMBER.findall(json.dumps([cell.get("outputs") for cell in json.loads(path.read_text())["cells"]]))
    return NUMBER.findall("\n".join(block for block, _ in parts(path.read_text())))


def is_of(figure, number):
    """Whether the figure is the number to fewer places: cut off, or rounded."""
    places = len(figure.partition(".")[2])
    value = Fraction(number) * 10**places
    return Fraction(figure) * 10**places in (math.floor(value), math.ceil(value))


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: str(path.relative_to(ROOT)))
def test_figures_are_what_is_computed(path, long):
    """Every number with a point: computed above, or the first digits of one in an output that the page shows."""
    page, text = str(path.relative_to(ROOT).with_suffix("")), " ".join(prose(path).split())
    known = list(NO_RESULT.get(page, ()))
    computed = [figures for figures in FIGURES.get(page, ()) if long or figures not in LONG]
    for figures in computed:
        for words in figures():
            assert words in text, f"{page} should say: {words}"
            known += NUMBER.findall(words)
    if len(computed) < len(FIGURES.get(page, ())):
        return
    numbers = shown_numbers(path)
    for figure in DECIMAL.findall(re.sub(r"`[^`]*`", "", text)):
        source = figure in known or any(is_of(figure, number) for number in numbers)
        assert source or page == "docs/benchmarks", f"{page}: where does {figure} come from?"


def test_every_page_with_figures_is_a_page():
    assert set(FIGURES) | set(NO_RESULT) <= {
        str(path.relative_to(ROOT).with_suffix("")) for path in [*PAGES, *NOTEBOOKS]
    }
