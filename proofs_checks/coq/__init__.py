"""The theorems for every n that Coq's kernel accepts, by the claim that they belong to."""

from pathlib import Path

from dpaudit.claims.formal import Theorem

FOLDER = Path(__file__).parent
MODEL = "any finite model with metrics d and H ≤ 1"
HISTOGRAMS = "histograms of any n and k, any metric H ≤ 1"
CELLS = "the floored, clipped Laplace noise on any number of cells: m moved cells change it by at most e^(εm/s)"
SAID = {
    "ls.reduction": ("Model", "ls_reduction", f"{MODEL}: LS(x) is the largest H(x,x′), attained at r = BI(x)"),
    "smooth.gamma": ("Model", "smooth_gamma", f"{MODEL}, any γ ≥ 0: 1/S(x) − 1/S(x′) ≤ γ for adjacent x, x′"),
    "smooth.exp": ("Model", "smooth_exp", f"{MODEL}, any γ ≥ 0: S_exp(x) ≤ e^γ·S_exp(x′) for adjacent x, x′"),
    "dp.ehd.exact-gs": ("Histograms", "ehd_histograms", f"{HISTOGRAMS}: EHD with Δ = GS is ε-DP"),
    "dp.ehd.prior-ge-1": ("Model", "ehd_private", f"{MODEL}: EHD with any Δ ≥ GS is ε-DP"),
    "dp.ehds": ("Histograms", "ehds_histograms", f"{HISTOGRAMS}, any γ ≥ 0: EHDS is ε-DP"),
    "dp.mh": ("Histograms", "mh_histograms", f"{HISTOGRAMS}, any γ ≥ 0: MH is (1+γ)ε-DP"),
    "level.5.1": ("Levels", "level_5_1", "any finite list of outputs: equal score ⇔ equal probability"),
    "level.5.2": ("Levels", "level_5_2", "any finite list of outputs: Pr[u = u(r)] = C·Pr[z = r]"),
    "sliding.proved": ("Levels", "sliding", "C_a ≤ 2 and C_b ≥ 1 give Pr[u = a] ≤ e^(t(b−a) + ln 2)·Pr[u = b]"),
    "sliding.stated": ("Levels", "sliding_stated_is_false", "n = 1, prior (1,1), ε = 1: the printed form fails"),
    "dp.lszhang": ("Counting", "cells_private", CELLS),
    "dp.lsdim": ("Counting", "cells_private", CELLS),
    "dp.lshist": ("Counting", "cells_private", CELLS),
}
THEOREMS = {claim: Theorem(FOLDER, *said) for claim, said in SAID.items()}
