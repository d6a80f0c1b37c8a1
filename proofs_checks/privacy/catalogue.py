"""Claims on privacy: guarantees, EHDL, smooth sensitivities, sliding and dilation."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.claims import THERE_IS, Family, claims

_EHDL = "P1, D2, A3", "P1 §4.1.2, D2 §1.2, A3 §5.1"
_CASE = "adjacent x, y with LS(y) < LS(x) = max H(x,x′), BI(x) (the posterior of x) farthest from y, LS(y) = H(x,y)"
_LEMMA_54 = "with 1 − δ′/2 = |R|·e^(ε/(2(1−e^λ))): Pr[u = a] ≤ e^(ε/2)·Pr[u = e^λ·a] + δ′/2 for attained a and e^λ·a"
_LEMMA_42 = (
    "MHdelta, |λ| ≤ ln(1 − ε/(2 ln(δ/(2(n+1))))): Pr[u = s] ≤ e^(ε/2)·Pr[u = e^λ·s] + δ/2 for attained s and e^λ·s"
)
_LAPLACE = "z ~ Lap(1), |λ| ≤ ε/(2 ln(2/δ)): Pr[z ∈ A] ≤ e^(ε/2)·Pr[z ∈ e^λA] + δ/2 for every set A, both signs of λ"

PRIVACY = claims(
    "Privacy",
    (
        "dp.lszhang",
        "N0, P1, A3",
        "N0 Algorithm 1; P1, A3 §3 (Theorem 3.1 does not name it)",
        "LSZhang is ε-DP for every ε, n and k",
    ),
    (
        "dp.lszhang.literal",
        "N0",
        "Algorithm 1, as printed",
        "cells 1…k−1 noised with scale 2/ε, the last entry left at 0: ε-DP for every ε, n and k",
    ),
    ("dp.lsdim", "N0, N4, A3", "Theorem 3.1, A3 §4.1", "LSDim is ε-DP for every ε, n and k"),
    ("dp.lshist", "N0, N4, A3", "Theorem 3.1, A3 §4.1", "LSHist is ε-DP for every ε, n and k"),
    ("dp.ehd.prior-ge-1", "N0, N4", "Theorem 3.1", "EHD with the constant GS₀ is ε-DP if every αᵢ ≥ 1"),
    ("dp.ehd.any-prior", "N0, N4", "Theorem 3.1", "EHD with the constant GS₀ is ε-DP for every prior"),
    (
        "dp.ehd.exact-gs",
        "D2, P1",
        "D2 §1.1, P1 §4.1.1",
        "EHD with the model's own GS(n, α) is ε-DP for every prior",
    ),
    ("dp.ehds", "N0, N4", "Theorem 3.1", "EHDS is ε-DP for every γ and every prior"),
    ("dp.mh", "A3", "Lemma 5.6", "MH is (1+γ)ε-DP"),
    ("dp.mhdelta", "P1", "Lemma 4.3", "MHdelta, the paper's M_H of the Beta system (k = 2), is (ε, δ)-DP"),
    (
        "dp.mhdelta.dirichlet",
        "P1",
        "§4.2.1 and Lemma 4.3",
        "M_H^D of the Dirichlet system, with S over adjacent data sets and the γ of Lemma 4.2, is (ε, δ)-DP",
    ),
    (
        "dp.mhdelta.normalisers",
        "P1",
        "proof of Lemma 4.3",
        "MHdelta, k = 2, adjacent x, y: (S(x)/S(y))·ln(NL(x)/NL(y)) ≤ 1 − ε/(2 ln(δ/(2(n+1)))), that is e^γ",
    ),
    (
        "dp.lemma-5.5",
        "A3",
        "Lemma 5.5",
        "the (ε′, δ) that the lemma derives for a pair of adjacent data sets bounds their true probabilities",
    ),
    (
        "dp.lemma-5.5.zero-case",
        "A3",
        "Lemma 5.5, its end",
        "of the lemma's four cases u(x,r) = 0 ≠ u(x′,r) gives the largest ε′ and the largest δ",
    ),
    ("ehdl.not-private.uniform", *_EHDL, "there are n and ε with true ε > ε for EHDL with prior (1,1)", THERE_IS),
    ("ehdl.not-private.any-prior", *_EHDL, "there are n, ε and a prior with true ε > ε for EHDL", THERE_IS),
    (
        "ehdl.premise.beta",
        "D2",
        "§1.2.2",
        "k = 2: there are adjacent x, y with LS(y) < LS(x), BI(x) a farthest candidate from y, and LS(y) = H(x,y)",
        THERE_IS,
    ),
    (
        "ehdl.premise.dirichlet",
        "D2",
        "§1.2.2",
        "k ≥ 3, some prior: adjacent x, y with LS(y) < LS(x), BI(x) a farthest candidate from y, LS(y) = H(x,y)",
        THERE_IS,
    ),
    (
        "ehdl.algebra",
        "D2",
        "§1.2.2",
        f"{_CASE}: −H(x,y)/LS(x) + H(x,y)/LS(y) > 2, the exponents at r = BI(x)",
    ),
    (
        "ehdl.first-step",
        "D2",
        "§1.2.2, first >",
        f"{_CASE}: at r = BI(x) the ratio of probabilities is larger with the true LS than with LS(x) for LS(y) in its "
        "numerator and LS(y) for LS(x) in its denominator",
    ),
    (
        "ehdl.second-step",
        "D2",
        "§1.2.2, second >",
        f"{_CASE}: at r = BI(x), "
        "Σ e^(ε(u(x,r)+u(y,r′))/(2LS(x))) / Σ e^(ε(u(y,r)+u(x,r′))/(2LS(y))) is larger than with r for r′",
    ),
    (
        "smooth.gamma",
        "A3",
        "Theorem 5.1",
        "S(x) ≥ LS(x), and 1/S(x) − 1/S(x′) ≤ γ for adjacent x, x′",
    ),
    (
        "smooth.exp",
        "P1",
        "§4.2",
        "S_exp(x) ≥ LS(x), and S_exp(x) ≤ e^γ·S_exp(x′) for adjacent x, x′",
    ),
    (
        "smooth.exp.adjacent",
        "P1, A3",
        "P1 §4.2.1, A3 §4.2",
        "k ≥ 3: S_exp over the data sets adjacent to x only is γ-smooth: S(x) ≤ e^γ·S(x′) for adjacent x, x′",
    ),
    (
        "sliding.stated",
        "A3",
        "Lemma 5.3",
        "MH, k = 2: Pr[u = a] ≤ 2·e^(−ε(b−a)/(2S(x)))·Pr[u = b] for all attained scores a, b",
    ),
    (
        "sliding.proved",
        "A3",
        "proof of Lemma 5.3",
        "MH, k = 2: Pr[u = a] ≤ 2·e^(+ε(b−a)/(2S(x)))·Pr[u = b] for all attained scores a, b",
    ),
    (
        "sliding.p1",
        "P1",
        "Lemma 4.1",
        "MHdelta, k = 2: Pr[u = s] ≤ e^(ε/2)·Pr[u = s+Δ] + δ/2 for attained s and s+Δ with Δ ≥ −S_exp(x)",
    ),
    ("dilation.stated.negative", "A3", "Lemma 5.4", f"λ < 0, {_LEMMA_54}"),
    ("dilation.stated.positive", "A3", "Lemma 5.4", f"λ > 0, {_LEMMA_54}"),
    (
        "dilation.assertion",
        "A3",
        "Assertion 5.4.1",
        "k = 2: as many candidates have a nonzero attained score as have any attained dilate of it",
    ),
    ("dilation.p1.negative", "P1", "Lemma 4.2", f"every real prior, λ < 0, {_LEMMA_42}"),
    ("dilation.p1.positive", "P1", "Lemma 4.2", f"λ > 0, {_LEMMA_42}"),
    ("dilation.laplace.small", "D2", "§4.1", f"{_LAPLACE}; ε ≤ 1 and δ ≤ 1/10"),
    ("dilation.laplace.any", "D2", "§4.1", f"{_LAPLACE}; every ε > 0 and 0 < δ < 1"),
    (
        "dilation.laplace.third",
        "D2",
        "§4.1, ρ_(δ/3)",
        f"the same with ln(3/δ) for ln(2/δ): {_LAPLACE.replace('2/δ', '3/δ')}; every ε > 0 and 0 < δ < 1",
    ),
    (
        "dilation.laplace.exchange",
        "D2",
        "§4.1, case 2",
        "λ < 0, h′(z) = e^λ·h(e^λz): as h′ ≤ e^(|z||λ|)·h, the same with h and h′ exchanged, h ≤ e^(|z||λ|)·h′, holds",
    ),
    (
        "dilation.laplace.case-1",
        "D2",
        "§4.1, case 1",
        "0 < λ ≤ ε/(2 ln(3/δ)): Pr[z ∈ e^λS]/Pr[z ∈ S] ≤ ε/2 for every S, as printed",
    ),
    (
        "dilation.p1.any-lambda",
        "P1",
        "Lemma 4.2, as printed",
        "MHdelta, every λ < |β|, also very negative ones, and every score c: Pr[u = c] ≤ e^(ε/2)·Pr[u = e^λ·c] + δ/2",
    ),
)

_HELLINGER = {"score": "hellinger"}
GUARANTEES = {
    "dp.lszhang": Family("LSZhang"),
    "dp.lsdim": Family("LSDim"),
    "dp.lshist": Family("LSHist"),
    "dp.ehd.prior-ge-1": Family("EHD", {"gs": "constant", **_HELLINGER}, least=Fraction(1)),
    "dp.ehd.exact-gs": Family("EHD", {"gs": "exact", **_HELLINGER}),
    "dp.ehds": Family("EHDS", _HELLINGER),
    "dp.mh": Family("MH", _HELLINGER),
}
"""The settings in which a claim says that a mechanism has the guarantee that it claims."""
