"""The words around the numbers of the page of installed libraries."""

WHY = {
    "far": "53 bits leave no room for the rare outputs; nothing is random",
    "pure-ldp 1.2.0, RAPPORClient": "a bit that is 1 is never flipped to 0",
    "pure-ldp 1.1.2, UEClient": "the bit of the true item is 1 too often; fixed in 1.2.0",
    "multi-freq-ldpy 0.2.5, SS_Client": "the true value, if it is sent, comes first",
    "multi-freq-ldpy 0.2.5, RSpFD": "ε holds for one attribute of a user, not for all of them",
}
"""Why a class fails, by the start of "library, class"."""

OLD = ("pure-ldp 1.1.2",)
"""Versions whose faults have since been fixed."""

EXTRA = 'pip install ".[libraries]" in a clone of this repository'
COMMANDS = {
    "diffprivlib 0.6.6": EXTRA,
    "pure-ldp 1.2.0": EXTRA,
    "pure-ldp 1.1.2": "the same, then pip install pure-ldp==1.1.2",
    "multi-freq-ldpy 0.2.5": EXTRA,
    "tmlt.core 0.20.0": 'pip install . "numpy<2" "pandas<2" typeguard randomgen and pip install --no-deps '
    "tmlt.core==0.20.0 with Python 3.11 (Spark, which it requires too, is not used by the samplers)",
}
"""What to install for the rows of a library."""

TITLE = "What installed libraries really do"

HOW = (
    "pure-ldp, RAPPORClient: the client flips bits to 1 but never to 0, so the bits of the true item are "
    "always 1: a 0 rules an item out. 100 000 plain calls gave no 0 there either.",
    "multi-freq-ldpy, SS_Client (subset selection): the subset is returned as an array, and if it contains the "
    "true value, that comes first: in 57 573 of 100 000 calls of the compiled function at ε = 1, and never "
    "second. If the caller sorts the array (SS_ClientSorted), it is as private as it should be, up to rounding.",
    "multi-freq-ldpy, RSpFD (one attribute is randomized at ln(d(e^ε − 1) + 1), the others are fake): two "
    "users who differ in one attribute are ε-close (RSpFD_GRR_ClientOneAttribute); users who differ in "
    'all d = 2 are only ln(2e^ε − 1)-close. Local privacy compares any two users, and "epsilon: privacy '
    'guarantee" does not say which is meant. SPL and SMP keep ε for whole tuples.',
    "pure-ldp 1.1.2, UEClient: the true bit is 1 with probability p + (1 − p)q instead of p. Found by "
    "sampling in 2023 (Arcolezi and Gambs, arXiv:2309.01597) and fixed in 1.2.0; this page has its exact size.",
    "ε = 40 (Binary, Geometric): the rare outputs have probabilities below 2⁻⁵³. 40-DP protects nobody on "
    "paper either, but the code does not deliver even that.",
    "The classes were run as installed; dpaudit computed the exact law of their code, including 53-bit "
    "draws, rounding and crashes (docs/code.md says how). No line of a library is copied: the files next to "
    "this page create the library's object and call it. python -m reports.libraries computes everything again.",
)
"""What fails, in full, and how it was audited."""

MEANING = (
    "The code of a row is (nominal ε, δ)-DP with this δ and no smaller one. Harmless: δ exceeds the nominal δ "
    "by at most 1e-12, or by at most a 1e-5th of it; not harmless: it certainly exceeds that. Unlike the numbers, "
    "this is a judgement. A true ε of ∞ means that some output is possible for one data set and impossible for its "
    "neighbor: a hole (the column has their number for the worst pair, and their probability). The last column is "
    "the probability of the unexplored paths (endless tails), which every bound includes."
)

NOTES = (
    "Binary, GeometricTruncated, most local clients: thresholds are rounded; the true ε is off by 10⁻¹⁷ to 10⁻¹⁴.",
    "Geometric: |u − 1/2| is 0 or at least 2⁻⁵³, so the noise ends near 36/ε. Out there the probabilities "
    "are small multiples of 2⁻⁵³, some of them 0: holes. u = 1/2 gives log 0 and then an OverflowError. "
    "Truncation and folding keep the crash but hide the holes.",
    "GeometricFolded, Exponential, ExponentialCategorical: the true ε is below the nominal one because of "
    "folding and the data sets of this audit, not because of the floats.",
    "PermuteAndFlip: the best candidate is accepted with probability 1 − 2⁻⁵³ instead of 1 (random() <= 0 "
    "is possible). If it and all others are rejected, a RuntimeError is raised. That is far likelier "
    "when one candidate is ahead than when all are equal, hence the large true ε; but it takes an event of "
    "probability 10⁻¹⁶.",
    "GaussianDiscrete (δ = 10⁻⁶; Coarse: the same with δ = 1/100): the scale is found by bisection to 6 "
    "digits, and the middle of the last interval is used instead of its safe end, so the true δ can lie on either "
    "side of the nominal one, by some millionths of it. Rounding up would cost nothing. The row (1/10, "
    "10⁻⁶) takes 150 s of processor time.",
    "Tumult Core: whole numbers and fractions only; the only thing not proved is the unexplored tail.",
    "HadamardMechClient returns a list if it tells the truth and a zip if it does not, so the Python object gives "
    "the answer away. The row is for the entries alone.",
    "L_… clients: the first of many reports, with nominal ε for it and 2ε for all of them.",
    "Not in the table, but a nuisance to users: GeometricFolded folds by recursion, two calls for each "
    "reflection. If the noise is much wider than the range, it reaches Python's limit of 1000 calls: "
    "GeometricFolded(epsilon=0.01, lower=0, upper=1) raised RecursionError in 675 of 100 000 plain runs. "
    'dpaudit refuses it ("its code recurses without end"), because its own calls would shift the limit. The '
    "exception depends on the noisy count alone, so it costs no privacy beyond that of Geometric.",
    "The data sets: counts with neighbors at distance 1; for Exponential and PermuteAndFlip all scores "
    "in {0, 1, 2}³, where a neighbor moves each by at most 1, sensitivity 1; for local clients 3 items "
    "(SS: 6 values; tuples: 2 × 2), every two of them neighbors.",
)
"""On single classes, and the data sets."""

ACCOUNTANTS = (
    "dp-accounting, prv_accountant and Opacus have their own page, reports/accountants: their bounds on ε next to "
    "certified ones, with the smallest case of each failure."
)
"""Where the accountants are."""

NOT_AUDITED = (
    "SmartNoise and PyDP (smartnoise-sql, python-dp) draw their noise in Rust and C++, like OpenDP, so there "
    "is no Python code to follow. dpaudit notices that plain runs give outputs that the law does not have "
    "(PyDP 1.1.5) and refuses. Their outputs can be tested like OpenDP's: dpaudit samples --draw.",
    "Tumult Core's discrete Gaussian at ε = 1/10 (variance 2800; in tumult.py) would take hours; at ε = 1 it "
    "takes minutes.",
    "Local hashing (pure-ldp's LHClient and FastLHClient, multi-freq-ldpy's LH_Client) passes the seed to "
    "the compiled xxhash. With xxhash 4.1, which pip installs today, each call raises TypeError: Strings "
    "must be encoded.",
    "diffprivlib's continuous mechanisms release floats: they have too many outputs (Uniform), draws other than "
    "uniform floats and whole numbers (Staircase, Bingham), or steps that are not monotone (Laplace's "
    "cos, Gaussian). Snapping works on the bits of the float. All are refused, with file and line.",
    "multi-freq-ldpy's HE_Client and pure-ldp's histogram encoding add Laplace noise, which is floats.",
    "The reference code of the discrete Gaussian (Canonne, Kamath, Steinke) is not a package; Tumult's code is "
    "derived from it.",
)
"""What was left out, and why."""
