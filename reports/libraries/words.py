"""The words around the numbers of the page of installed libraries."""

WHY = {
    "far": "53 bits have no room for the rare outputs; nothing is random",
    "pure-ldp 1.2.0, RAPPORClient": "a bit that is 1 is never flipped to 0",
    "pure-ldp 1.1.2, UEClient": "the bit of the true item is 1 too often; mended in 1.2.0",
    "multi-freq-ldpy 0.2.5, SS_Client": "the true value, if it is sent, comes first",
    "multi-freq-ldpy 0.2.5, RSpFD": "ε holds for one attribute of a user, not for all of them",
}
"""Why a class fails, by the start of "library, class"."""

OLD = ("pure-ldp 1.1.2",)
"""What has been mended since."""

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
    "pure-ldp, RAPPORClient: the client sets bits to 1 and never to 0, so the bits of the true item are "
    "always 1: whoever sees a 0 there knows what it is not. 100 000 plain calls gave no 0 there either.",
    "multi-freq-ldpy, SS_Client (subset selection): the subset is returned as an array whose first entry "
    "is the true value whenever that belongs to it; 57 573 of 100 000 calls of the compiled function at ε "
    "= 1, and it never came second. Sorted by the caller (SS_ClientSorted) it is as private as it should "
    "be, but for the roundings.",
    "multi-freq-ldpy, RSpFD (one attribute is randomized at ln(d(e^ε − 1) + 1), the others are fake): two "
    "users who differ in one attribute are ε-close (RSpFD_GRR_ClientOneAttribute); users who differ in "
    'all d = 2 are ln(2e^ε − 1)-close only. Local privacy compares any two users, and "epsilon: privacy '
    'guarantee" does not say which is meant. SPL and SMP keep ε for whole tuples.',
    "pure-ldp 1.1.2, UEClient: the true bit is 1 with probability p + (1 − p)q instead of p. Found by "
    "sampling in 2023 (Arcolezi and Gambs, arXiv:2309.01597) and mended in 1.2.0; here is its exact size.",
    "ε = 40 (Binary, Geometric): the rare outputs have probabilities below 2⁻⁵³. 40-DP protects nobody on "
    "paper either, but it is not what is delivered.",
    "The classes were run as they are installed; dpaudit computed the exact law of their code, 53-bit "
    "draws, roundings and crashes included (docs/code.md says how). No line of a library is copied here: "
    "the files beside this page make the library's object and call it. python -m reports.libraries "
    "computes all of it again.",
)
"""What fails, in full, and how it was audited."""

MEANING = (
    "The code of a row is (nominal ε, δ)-DP with this δ and no smaller one. Harmless: δ exceeds the "
    "nominal δ by at most 1e-12, or by a 1e-5th part of it; not harmless: it certainly exceeds that. This "
    "is a judgement, the numbers are not. A true ε of ∞ says that some output is possible for one data "
    "set and impossible for its neighbor: a hole (how many for the worst pair, and their probability). "
    "Not followed is the probability of the unexplored paths (endless tails); every bound contains it."
)

NOTES = (
    "Binary, GeometricTruncated, most local clients: thresholds are rounded; the true ε is off by 10⁻¹⁷ to 10⁻¹⁴.",
    "Geometric: |u − 1/2| is 0 or at least 2⁻⁵³, so the noise ends near 36/ε. Out there the probabilities "
    "are small multiples of 2⁻⁵³, some of them 0: holes. u = 1/2 gives log 0 and then an OverflowError. "
    "Truncation and folding keep the crash, and hide the holes.",
    "GeometricFolded, Exponential, ExponentialCategorical: the true ε is below the nominal one because of "
    "folding, and because of the data sets of this audit, not because of the floats.",
    "PermuteAndFlip: the best candidate is accepted with probability 1 − 2⁻⁵³ instead of 1 (random() <= 0 "
    "is possible). When it is refused, and all others too, there is a RuntimeError; it is far likelier "
    "when one candidate is ahead than when all are equal, which is the large true ε. That needs a coin "
    "that falls once in 10¹⁶ times.",
    "GaussianDiscrete (δ = 10⁻⁶; Coarse: the same with δ = 1/100): the scale is found by bisection to 6 "
    "digits, and the middle of the last interval is taken, not its safe end: the true δ lies on either "
    "side of the nominal one, by some millionths of it. Rounding up would cost nothing. The row (1/10, "
    "10⁻⁶) takes 150 s of processor time.",
    "Tumult Core: whole numbers and fractions only; what is not proved is the tail that was not followed.",
    "HadamardMechClient returns a list where it tells the truth and a zip where it does not: who is "
    "handed the Python object knows. The row is that of the entries alone.",
    "L_… clients: the first of many reports, nominal ε for it and 2ε for all of them.",
    "Not in the table, and not harmless to users: GeometricFolded folds by recursion, two calls for each "
    "reflection. Where the noise is much wider than the range, Python's limit of 1000 calls is met: "
    "GeometricFolded(epsilon=0.01, lower=0, upper=1) raised RecursionError in 675 of 100 000 plain runs. "
    'dpaudit refuses it ("its code recurses without end"): its own calls would move the limit. The '
    "exception depends on the noisy count alone, so it costs no privacy beyond that of Geometric.",
    "The data sets: counts with neighbors at distance 1; for Exponential and PermuteAndFlip all scores "
    "in {0, 1, 2}³, where a neighbor moves each by at most 1, sensitivity 1; for local clients 3 items "
    "(SS: 6 values; tuples: 2 × 2), any two are neighbors.",
)
"""On single classes, and the data sets."""

ACCOUNTANTS = (
    "dp-accounting, prv_accountant and Opacus have a page of their own, reports/accountants: their bounds of ε beside "
    "certified ones, with the smallest case of each failure."
)
"""Where the accountants are."""

NOT_AUDITED = (
    "SmartNoise and PyDP (smartnoise-sql, python-dp) draw their noise in Rust and C++, as OpenDP does: there "
    "is no Python code to follow. dpaudit notices that plain runs give what the law does not have (PyDP 1.1.5) "
    "and refuses. Their outputs can be tested as OpenDP's were: dpaudit samples --draw.",
    "Tumult Core's discrete Gaussian at ε = 1/10 (variance 2800; tumult.py has it): it would take hours, "
    "at ε = 1 it takes minutes.",
    "Local hashing (pure-ldp's LHClient and FastLHClient, multi-freq-ldpy's LH_Client) hands the seed to "
    "the compiled xxhash. With xxhash 4.1, which pip installs today, each call raises TypeError: Strings "
    "must be encoded.",
    "diffprivlib's continuous mechanisms release floats: too many outputs (Uniform), or draws that are no "
    "uniform floats and whole numbers (Staircase, Bingham), or steps that are not monotone (Laplace's "
    "cos, Gaussian). Snapping works on the bits of the float. All are refused, with file and line.",
    "multi-freq-ldpy's HE_Client and pure-ldp's histogram encoding add Laplace noise: floats.",
    "The reference code of the discrete Gaussian (Canonne, Kamath, Steinke) is no package; Tumult's is "
    "derived from it.",
)
"""What was left out, and why."""
