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
        "fig.table-1.text",
        "P1",
        "§5.4.1 on Table 1",
        "in the printed table the exponential mechanism has the larger probability 0, 1, 2 steps from the correct "
        "answer, the Laplace mechanism 3 and 4 steps from it",
    ),
    (
        "fig.table-2.text",
        "P1",
        "§5.4.1 on Table 2",
        "in the printed table the Laplace mechanism has the larger probability few steps from the correct answer",
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
        "fig.errors-fall.p1",
        "P1",
        "§6.2",
        "10/90 data, ε = 0.8, δ = 1e-8: as n grows the mean errors of MHdelta and of the Laplace mechanism decrease",
    ),
    (
        "fig.errors-fall.a3",
        "A3",
        "§7.2.2",
        "balanced data, ε = 1: as n grows the mean errors of MH and of both Laplace mechanisms decrease",
    ),
    (
        "fig.dirichlet.errors",
        "P1, A3",
        "P1 Figure 4, A3 Figure 5 (a), (b)",
        "k = 3 and 4, uniform prior: as n grows the mean errors decrease, as for k = 2",
    ),
    (
        "fig.dirichlet.crossover",
        "P1, A3",
        "P1 Figure 4, A3 Figure 5 (a), (b)",
        "k = 3 and 4, uniform prior: as for k = 2 the Laplace mechanism has the smaller mean error for small n, the "
        "exponential mechanism for larger ones",
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
        "fig.priors.improved",
        "A3",
        "Figure 5 and §8, second conclusion",
        "x = (50, 50), ε = 1: as the balanced prior grows, MH's mean error comes to that of the improved Laplace "
        "mechanism: their ratio tends to 1",
    ),
    (
        "fig.small-priors",
        "A3",
        "§8, first conclusion",
        "x = (50, 50), ε = 1, small prior parameters: MH has a smaller mean error than the Laplace baseline, but not "
        "than the improved one",
    ),
    (
        "fig.concrete-epsilon",
        "P1, A3",
        "Figure 6 of each",
        "prior (1,1), δ = 0.0005: the true ε stays below the nominal ε for n = 90…180",
    ),
    (
        "near.decay",
        "P1",
        "§5.4.1",
        "balanced data, k = 2: as n grows M_H's probability of at most three steps falls (like 1/n, for k = m like "
        "n^−(m−1)), while the Laplace mechanism's hardly changes",
    ),
    (
        "err.priors",
        "P1",
        "§5.4.2, §5.4.3",
        "M_H's mean error, not only LS, falls as the prior grows and as the data become more uniform",
    ),
)
