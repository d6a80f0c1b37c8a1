"""The claims of the five documents: N0 (note with LSZhang), P1 (workshop paper), D2 (draft), A3 (long version), N4.

Letters: n records, k categories, prior (α₁…α_k); BI(x) the posterior of data x; R all posteriors of n records; H the
Hellinger distance; LS, GS, S, S_exp the local, global, γ-smooth and exponentially smooth sensitivity; GS₀ = √(1−π/4).
κ is the step count of Theorem 4.5: the largest number of steps to the right of x with H < t. "balanced": n even and
both cells n/2. A score u is −H in P1 and D2 and +H in A3 §5.2; "attained" means that some candidate has it. A
threshold t is any value between two neighboring attained distances.
"""

from pathlib import Path

from dpaudit.claims import Catalogue
from proofs_checks.accuracy.catalogue import ACCURACY
from proofs_checks.coq import THEOREMS
from proofs_checks.figures.catalogue import FIGURES
from proofs_checks.privacy.catalogue import GUARANTEES, PRIVACY
from proofs_checks.setting.catalogue import SETTING

CATALOGUE = Catalogue(
    title="The claims of the five documents and their verdicts",
    claims=(*SETTING, *PRIVACY, *ACCURACY, *FIGURES),
    package="proofs_checks",
    folder=Path(__file__).parent,
    introduction="`pytest tests/proofs_checks` computes every verdict on this page again.",
    theorems=THEOREMS,
    guarantees=GUARANTEES,
)

__all__ = ["CATALOGUE"]
