"""Claims on accuracy: noise laws, tails, Theorem 4.5 and its corollaries."""

from __future__ import annotations

from dpaudit.claims import ORDER, claims

_T45 = "N0, N4", "Theorem 4.5"
_TAIL = "P1, A3", "P1 §5.3, A3 §6.2"
_EQUAL = "balanced, equal prior (α, α)"
_LSHIST = "Pr[H < t] = 1 − ½(e^(−κε) + e^(−(κ+1)ε)) for LSHist"
_LSHIST_LB = "Pr[H < t] ≥ 1 − e^(−κε) for LSHist"

ACCURACY = claims(
    "Accuracy",
    ("acc.floor-law", "A3", "§6.1.2", "Y ~ Lap(Δ/ε): Pr[⌊Y⌋ = t] = ½(e^(−ε(t−1)/Δ) − e^(−εt/Δ)) for t ≥ 1"),
    ("acc.abs-floor-law", "P1", "§5.1", "Y ~ Lap(2/ε): Pr[⌊|Y|⌋ = t] = e^(−tε/2) − e^(−(t+1)ε/2) for t ≥ 0"),
    (
        "acc.signed-law",
        "P1",
        "§5.4.1",
        "Y ~ Lap(2/ε): Pr[t ≤ Y < t+1] = ½·Pr[t ≤ |Y| < t+1] for t > 0, and = ½·Pr[|t|−1 ≤ |Y| < |t|] for t ≤ 0",
    ),
    (
        "acc.improved-laplace-law",
        "A3",
        "§6.1.3",
        "improved Laplace mechanism, k = 2, Y ~ Lap(1/ε): Pr[t−1 ≤ Y < t] = ½(e^(−ε(t−1)/2) − e^(−εt/2)) for t ≥ 1",
    ),
    ("acc.interval-law", "N0, N4", "Corollary 4.4.1", "Y ~ Lap(1/ε): Pr[−1 ≤ Y < 2] = 1 − ½(e^(−ε) + e^(−2ε))"),
    ("acc.em-tail", "P1, A3", "P1 §5.2, A3 §6.1.1", "EHD: Pr[H ≥ t] ≤ |R|·exp(−εt/(2GS₀))"),
    (
        "acc.em-tail.model",
        "P1, A3",
        "P1 §5.2, A3 §6.1.1",
        "EHD with the model's own GS(n, α) as Δ_g: Pr[H ≥ t] ≤ |R|·exp(−εt/(2Δ_g))",
    ),
    (
        "acc.mh-tight.stated",
        *_TAIL,
        'MH: the "tight" expression for Pr[H ≥ t], with exponents −εH/S as printed and NL as defined',
    ),
    ("acc.mh-tight.corrected", *_TAIL, "MH: the same expression with exponents −εH/(2S)"),
    ("acc.mh-second.stated", *_TAIL, "MH: Pr[H ≥ t] ≤ |R|·exp(−εt/S(x))/NL(x)"),
    ("acc.mh-second.corrected", *_TAIL, "MH: Pr[H ≥ t] ≤ |R|·exp(−εt/(2S(x)))/NL(x)"),
    ("acc.mh-loose", "A3", "§6.2", "MH: Pr[H ≥ t] ≤ |R|·exp(−εt/(2S(x)))"),
    ("acc.4.2.strict", "N0, N4", "Theorem 4.2", "LSHist, k = 2: Pr[H < LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε))"),
    ("acc.4.2.closed", "N0, N4", "Theorem 4.2", "LSHist, k = 2: Pr[H ≤ LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε))"),
    (
        "acc.4.2.error",
        "N0, N4",
        "proof of Theorem 4.2",
        "at γ = e^(−ε) the error E_Lap(x) that LSHist exceeds with probability at most γ equals LS(x)",
    ),
    (
        "acc.4.2.order",
        "N0, N4",
        "Theorem 4.2",
        "at γ = e^(−ε), E_Lap(x)/(ε·LS(x)) is O(ε): some C has E_Lap(x)/(ε·LS(x)) ≤ C·ε for every ε; the proof has 1/ε",
    ),
    (
        "acc.4.4.1.ratio",
        "N0, N4",
        "Corollary 4.4.1",
        "the bound ln(2/(e^(−ε)+e^(−2ε)))/ε on E_Lap(x)/LS(x) that the corollary ends with is < 2, for every ε > 0",
    ),
    (
        "acc.4.4.1.distance",
        "N0, N4",
        "Corollary 4.4.1 (1)",
        "−1 ≤ k < 2: H(Beta(α, β), Beta(α+k, n−⌊α+k⌋)) ≤ LS(x), Beta(α, β) the posterior of x",
    ),
    (
        "acc.4.3",
        "N0, N4",
        "Theorems 4.1, 4.3, 4.4",
        "the error that LSHist exceeds with probability γ, divided by LS(x), is O(ln(1/γ)/ε)",
        ORDER,
    ),
    (
        "acc.4.5.lszhang-eq.balanced",
        "N0",
        "Theorem 4.5",
        f"{_EQUAL}: Pr[H < t] = (1 − ½(e^(−κε/2) + e^(−(κ+1)ε/2)))² for LSZhang",
    ),
    ("acc.4.5.lszhang-lb.balanced", "N0", "Theorem 4.5", f"{_EQUAL}: Pr[H < t] ≥ (1 − e^(−κε/2))² for LSZhang"),
    (
        "acc.4.5.lszhang-eq.all",
        "N0",
        "Theorem 4.5",
        "every data set: Pr[H < t] = (1 − ½(e^(−κε/2) + e^(−(κ+1)ε/2)))² for LSZhang",
    ),
    ("acc.4.5.lszhang-lb.all", "N0", "Theorem 4.5", "every data set: Pr[H < t] ≥ (1 − e^(−κε/2))² for LSZhang"),
    ("acc.4.5.lshist-eq.balanced", *_T45, f"{_EQUAL}: {_LSHIST}"),
    ("acc.4.5.lshist-eq.all", *_T45, f"every data set: {_LSHIST}"),
    ("acc.4.5.lshist-lb.balanced", *_T45, f"{_EQUAL}: {_LSHIST_LB}"),
    ("acc.4.5.lshist-lb.all", *_T45, f"every data set: {_LSHIST_LB}"),
    ("acc.4.5.ehd-lower.balanced", *_T45, f"{_EQUAL}: (2κe^(−ε)+1)/n < Pr[H < t] for EHD"),
    ("acc.4.5.ehd-lower.all", *_T45, "every data set: (2κe^(−ε)+1)/n < Pr[H < t] for EHD"),
    ("acc.4.5.ehd-upper.balanced", *_T45, f"{_EQUAL}: Pr[H < t] < (2κ+1)/(n·e^(−ε)) for EHD"),
    ("acc.4.5.ehd-upper.all", *_T45, "every data set: Pr[H < t] < (2κ+1)/(n·e^(−ε)) for EHD"),
    (
        "acc.4.5.ehd-lower.repaired",
        "N0, N4",
        "proof of Theorem 4.5",
        f"{_EQUAL}: (2κe^(−ε/(2GS₀))+1)/(n+1) < Pr[H < t] for EHD",
    ),
    (
        "acc.4.5.ehd-upper.repaired",
        "N0, N4",
        "proof of Theorem 4.5",
        f"{_EQUAL}: Pr[H < t] < (2κ+1)/((n+1)·e^(−ε/(2GS₀))) for EHD",
    ),
    ("acc.4.5.ehdl-lower.balanced", *_T45, f"{_EQUAL}: (2κe^(−ε/(2LS(x)))+1)/n < Pr[H < t] for EHDL"),
    ("acc.4.5.ehdl-lower.all", *_T45, "every data set: (2κe^(−ε/(2LS(x)))+1)/n < Pr[H < t] for EHDL"),
    ("acc.4.5.ehdl-upper.balanced", *_T45, f"{_EQUAL}: Pr[H < t] < (2κ+1)/(n·e^(−ε/(2LS(x)))) for EHDL"),
    ("acc.4.5.ehdl-upper.all", *_T45, "every data set: Pr[H < t] < (2κ+1)/(n·e^(−ε/(2LS(x)))) for EHDL"),
    (
        "acc.4.5.n4-lower.balanced",
        "N4",
        "Theorem 4.5, third bound",
        f"{_EQUAL}: (2κe^(−ε/(2LS(x)))+1)/n < Pr[H < t] for EHD, as N4 prints it",
    ),
    (
        "acc.4.5.n4-upper.balanced",
        "N4",
        "Theorem 4.5, third bound",
        f"{_EQUAL}: Pr[H < t] < (2κ+1)/(n·e^(−ε/(2LS(x)))) for EHD, as N4 prints it",
    ),
    (
        "acc.4.5.n4-step",
        "N4",
        "proof of Theorem 4.5",
        f"{_EQUAL}: Pr[H < t] ≥ (2κ·e⁰+1)/(n·e^(−ε/(2GS₀))) for EHD, the first step of N4's lower bound",
    ),
    (
        "acc.4.5.1",
        "N0, N4",
        "Corollary 4.5.1",
        "LSHist is more accurate than EHD (Pr[H < t]) once n > (2κ+1)/(e^(−ε)(1−e^(−κε))), the proof's threshold",
    ),
    (
        "acc.4.5.2",
        "N0, N4",
        "Corollary 4.5.2",
        "EHD is more accurate than LSHist (Pr[H < t]) while n < (2κe^(−ε)+1)/(1 − ½(e^(−κε)+e^(−(κ+1)ε)))",
    ),
    (
        "acc.4.5.3",
        "N0, N4",
        "Corollary 4.5.3",
        "LSHist hits R_g = {H ≤ LS(x)} more often than EHD once n > 3/(e^(−ε/(2GS₀))(1−e^(−ε))), the proof's threshold",
    ),
    ("acc.table-utility", "N0", "last table", "the O(.) accuracy rows of the utility table", ORDER),
)
