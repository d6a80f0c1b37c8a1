"""Claims on the setting: candidates, sensitivities, level sets."""

from __future__ import annotations

from dpaudit.claims import claims

SETTING = claims(
    "Setting",
    (
        "prior.beta-density",
        "P1, A3",
        "§2",
        "the printed density θ^α(1−θ)^β/B(α, β) of beta(α, β) integrates to 1",
    ),
    ("candidates.beta", "P1, A3", "§4", "two categories: n records have n+1 candidate posteriors"),
    ("candidates.dirichlet", "P1, A3", "P1 §4.2.1, A3 §4.2", "k = m ≥ 3 categories: |R| = C(n+1, m−1)"),
    ("gs.each-n", "N0, N4", "§1", "prior (1,1): GS(n) equals √(1−π/4) for every n"),
    (
        "gs.supremum",
        "N0, N4",
        "§1",
        "uniform prior, k = 2 and 3: GS(n) ≤ √(1−π/4) for every n, with equality at n = 1",
    ),
    ("gs.any-prior", "N0, N4", "§1", "GS(n, α) ≤ √(1−π/4) for every prior α"),
    (
        "ls.reduction",
        "P1, A3, D2",
        "P1 §6.1, A3 §7.1, D2 II",
        "LS(x) = max over adjacent x′ of H(x, x′): the maximum over candidates r is attained at r = BI(x); k = 2, 3",
    ),
    ("ls.statement-1", "D2", "Statement I", "prior (1,1): H(x, x+1) < H(x+1, x+2) from the balanced x₀ to x+2 ≤ n"),
    (
        "ls.statement-1.left",
        "D2",
        "Statement I",
        "prior (1,1): H(x, x+1) > H(x+1, x+2) for every x ≤ x₀ with x+2 ≤ n",
    ),
    ("ls.statement-1.algebra", "D2", "Statement I", "(n−1)²(n+2)(n+4) > (n+3)²n(n−2) exactly when n > −1"),
    (
        "ls.statement-2",
        "D2",
        "Statement II",
        "prior (1,1): LS(x) = H(x, x+1) for x₀ ≤ x < n (for odd n from x = (n+1)/2)",
    ),
    (
        "ls.statement-2.left",
        "D2",
        "Statement II",
        "prior (1,1): LS(x) = H(x, x−1) for 0 < x ≤ x₀ (for odd n to x = (n−1)/2)",
    ),
    (
        "ls.statement-3",
        "D2",
        "Statement III",
        "prior (1,1): LS(x) > LS(x₀) for every x that is not a balanced point, every n",
    ),
    (
        "ls.monotone",
        "P1",
        "§5.4.2",
        "LS does not rise as the two Beta parameters come closer at the same sum, nor as they grow at the same ratio",
    ),
    ("ls.limit.balanced", "N0, N4", "proof of Theorem 4.5", "LS(x) → 0 as n → ∞ for balanced x"),
    ("ls.limit.boundary", "N0, N4", "proof of Theorem 4.5", "LS(x) → 0 as n → ∞ for x = 0"),
    (
        "l1.sensitivity",
        "P1, A3",
        "P1 §4.1, A3 §4.1.4",
        "parameters of adjacent posteriors differ by at most 2 in ℓ₁, for k = 2 by at most 1 in the first cell",
    ),
    ("l1.proportional", "A3", "§4.1.3", "the ℓ₁ sensitivity ΔBI is proportional to the dimension k"),
    ("level.half", "P1", "proof of Lemma 4.1", "Pr[z = r] = ½·Pr[H(x,z) = H(x,r)] for every candidate r"),
    (
        "level.two",
        "A3",
        "proof of Lemma 5.3",
        "k = 2: exactly one candidate at distance 0 and exactly two at every other attained distance",
    ),
    ("level.at-most-two", "A3", "proof of Lemma 5.3", "k = 2: never more than two candidates at one distance"),
    ("level.same-steps", "P1", "§5.4.1", "candidates the same number of steps from x have the same distance from it"),
    ("level.5.1", "A3", "Lemma 5.1", "two candidates have equal scores exactly when they have equal probabilities"),
    ("level.5.2", "A3", "Lemma 5.2", "Pr[u = u(r)] = C·Pr[z = r] with C the number of candidates of that score"),
    (
        "ls.statement-1.induction",
        "D2",
        "Statement I, step m → m+1",
        "prior (1,1), n even, A_m = BC(x₀+m, x₀+m+1): from A_m > A_(m+1) follows A_(m+1) > A_(m+2), as its ratio rises",
    ),
    ("hellinger.tv", "P1, A3", "§3", "H² ≤ TV ≤ √2·H for Beta and Dirichlet posteriors"),
    (
        "near.one-step",
        "P1",
        "§5.4.1",
        "DL(4,5,3), DL(4,3,5), DL(5,4,3), DL(5,3,4), DL(3,5,4) and DL(5,5,5) are one step from DL(5,5,5)",
    ),
    (
        "def.score-sign",
        "P1",
        "§4.1.1",
        "with the score u = +H as printed, P(r) ∝ e^(εu/(2GS)) prefers BI(x) to every other candidate",
    ),
    (
        "def.dp-equality",
        "A3",
        "Definitions 1, 2",
        "with = as printed: Pr[H(M(x)) ∈ B] = e^ε·Pr[H(M(x′)) ∈ B] + δ can hold for every B",
    ),
    (
        "def.adjacency",
        "A3",
        "footnote 1",
        "adjacent iff Σ[xᵢ = xᵢ′] ≤ 1, as printed, is the adjacency that is meant: Σ[xᵢ ≠ xᵢ′] ≤ 1",
    ),
    (
        "def.ls-same-data",
        "A3",
        "§4.1.2",
        "the printed maximum of |H(BI(x′),r) − H(BI(x′),r)|, with x′ twice, is LS(x)",
    ),
)
