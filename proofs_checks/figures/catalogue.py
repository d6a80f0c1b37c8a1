"""Claims made by the tables and the figures."""

from __future__ import annotations

from dpaudit.claims import THERE_IS, claims

FIGURES = claims(
    "Figures",
    (
        "fig.table-1.stated",
        "P1",
        "Table 1",
        "the printed numbers follow, to every printed digit, from P1's own definitions at n = 8, ε = 0.8, δ = 1e-8",
    ),
    (
        "fig.table-1.found",
        "P1",
        "Table 1",
        "there is a setting (sensitivity, factor in the exponent, data) that gives every printed digit",
        THERE_IS,
    ),
    (
        "fig.table-2.stated",
        "P1",
        "Table 2",
        "the printed numbers follow, to every printed digit, from P1's own definitions with prior beta(1,1), n = 40",
    ),
    (
        "fig.table-2.found",
        "P1",
        "Table 2",
        "there is a setting (n, k, data, sensitivity, factor in the exponent) that gives every printed digit",
        THERE_IS,
    ),
    (
        "fig.laplace-crossover",
        "P1",
        "§6.2",
        "10/90 data, ε = 0.8, δ = 1e-8: the Laplace mechanism has the smaller mean error below n ≈ 650, MHdelta above",
    ),
    (
        "fig.balanced-crossover",
        "A3",
        "§7.2.2",
        "balanced data, ε = 1: below n ≈ 300 both Laplace mechanisms have a smaller mean error than MH; above it MH "
        "beats the baseline (scale 2/ε) and its error approaches LSHist's",
    ),
    (
        "fig.near-candidates",
        "A3",
        "Figure 3",
        "balanced data, ε = 1, k = 2, 3, 4: at the nearest candidates LSHist has the largest probability, then MH, "
        "then the baseline",
    ),
    (
        "fig.priors",
        "P1, A3",
        "Figure 5 of each",
        "fixed data, growing balanced priors: the Laplace baseline has the smaller mean error first, the "
        "exponential mechanism from some prior on",
    ),
    (
        "fig.concrete-epsilon",
        "P1, A3",
        "Figure 6 of each",
        "prior (1,1), δ = 0.0005: the true ε stays below the nominal ε for n = 90…180",
    ),
)
