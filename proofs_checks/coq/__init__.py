"""The theorems for every n that Coq's kernel accepts, by the claim that they belong to."""

from pathlib import Path

from dpaudit.claims.formal import Theorem

FOLDER = Path(__file__).parent
EVERY = "every n ≥ 1, k ≥ 2 and prior"
CELLS = "on histograms of every n and k, with floored and clipped Laplace noise"
AT_LEAST_1 = "every n ≥ 1, k ≥ 2 and prior with all αᵢ ≥ 1"
SAID = {
    "gs.supremum": ("Sensitivity", "gs_at_most", f"{AT_LEAST_1}: GS ≤ √(1−π/4)"),
    "ls.reduction": ("Histograms", "ls_histograms", f"{EVERY}: LS(x) is the largest H(x,x′), attained at r = BI(x)"),
    "smooth.gamma": (
        "Histograms",
        "smooth_histograms",
        f"{EVERY}, any γ ≥ 0: LS(x) ≤ S(x), and 1/S(x) − 1/S(x′) ≤ γ for adjacent x, x′",
    ),
    "smooth.exp": (
        "Histograms",
        "smooth_exp_histograms",
        f"{EVERY}, any γ ≥ 0: LS(x) ≤ S_exp(x), and S_exp(x) ≤ e^γ·S_exp(x′) for adjacent x, x′",
    ),
    "dp.ehd.exact-gs": ("Histograms", "ehd_histograms", f"{EVERY}: EHD with Δ = GS is ε-DP"),
    "dp.ehd.prior-ge-1": ("Sensitivity", "ehd_constant", f"{AT_LEAST_1}: EHD with Δ = √(1−π/4) is ε-DP"),
    "dp.ehds": ("Histograms", "ehds_histograms", f"{EVERY}, any γ ≥ 0: EHDS is ε-DP"),
    "dp.mh": ("Histograms", "mh_histograms", f"{EVERY}, any γ ≥ 0: MH is (1+γ)ε-DP"),
    "level.5.1": ("Levels", "level_5_1", "any finite list of outputs: equal score ⇔ equal probability"),
    "level.5.2": ("Levels", "level_5_2", "any finite list of outputs: Pr[u = u(r)] = C·Pr[z = r]"),
    "level.at-most-two": (
        "AtMostTwo",
        "at_most_two",
        "k = 2, every n, prior and x: no three candidates at one distance",
    ),
    "sliding.proved": (
        "AtMostTwo",
        "sliding_two",
        "k = 2, every n, prior and x, attained a and b: Pr[u = a] ≤ e^(t(b−a) + ln 2)·Pr[u = b]",
    ),
    "sliding.stated": ("Levels", "sliding_stated_is_false", "n = 1, prior (1,1), ε = 1: the printed form fails"),
    "dp.lszhang": ("Counting", "lszhang_private", f"LSZhang, {CELLS}, is ε-DP"),
    "dp.lsdim": ("Counting", "lsdim_private", f"LSDim, {CELLS}, is ε-DP"),
    "dp.lshist": ("Counting", "lshist_private", f"LSHist, {CELLS}, is ε-DP"),
}
THEOREMS = {claim: Theorem(FOLDER, *said) for claim, said in SAID.items()}
