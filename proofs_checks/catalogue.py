"""Every claim of the five documents, in our own words: data, no verdicts.

Letters: n records, k categories, prior (α₁…α_k); BI(x) the posterior of data x; R all posteriors of n records; H the
Hellinger distance; LS, GS, S, S_exp the local, global, γ-smooth and exponentially smooth sensitivity; GS₀ = √(1−π/4).
κ is the step count of Theorem 4.5: the largest number of steps to the right of x with H < t. "balanced": n even and
both cells n/2. A score u is −H in P1 and D2 and +H in A3 §5.2; "attained" means that some candidate has it. A
threshold t is any value between two neighbouring attained distances.
"""

from __future__ import annotations

from proofs_checks.catalogue_accuracy import ACCURACY
from proofs_checks.catalogue_figures import FIGURES
from proofs_checks.catalogue_privacy import PRIVACY
from proofs_checks.catalogue_setting import SETTING
from proofs_checks.claim import Claim

CLAIMS: tuple[Claim, ...] = (*SETTING, *PRIVACY, *ACCURACY, *FIGURES)

PENDING: tuple[str, ...] = ()
"""Sections whose checks are not all written yet: their ids without a check are listed as not yet checked."""

REASONS: dict[str, str] = {}
"""Ids that cannot be checked, each with the reason."""

__all__ = ["CLAIMS", "PENDING", "REASONS", "Claim"]
