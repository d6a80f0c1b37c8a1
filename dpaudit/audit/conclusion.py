"""The one answer in words: what the verdicts on a claim come to. Decided here, and nowhere else.

A claim of a mechanism is judged at every n that is looked at, and sometimes for every n at once by a theorem. A
mechanism that claims nothing is compared with its nominal epsilon instead, where it has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dpaudit.numbers.verdict import Verdict


class Word(StrEnum):
    """What a reader is told first."""

    NOT_PRIVATE = "NOT PRIVATE"
    UNDECIDED = "UNDECIDED"
    ON_AUDITED = "HOLDS ON WHAT WAS AUDITED"
    FOR_ALL = "HOLDS FOR ALL n"
    NO_CLAIM = "NO CLAIM"


class Strength(StrEnum):
    """By what it is known."""

    WITNESS = "by witness"
    OPEN = "open"
    AUDITED = "audited"
    FOR_ALL = "for all n"
    NOTHING = "nothing to compare with"


@dataclass(frozen=True)
class Conclusion:
    """The word, the verdict on what was compared (the claim, else the nominal epsilon), and by what it is known."""

    word: Word
    outcome: Verdict | None
    strength: Strength

    @property
    def rank(self) -> int:
        """Returns how bad it is, 0 the worst: what fails, what is open, what exceeds its nominal epsilon, the rest."""
        return rank(self.word, self.outcome)


def rank(word: Word | str, outcome: Verdict | str | None) -> int:
    """Returns how bad it is, 0 the worst; without a claim it matters whether the nominal epsilon is exceeded."""
    order = (Word.NOT_PRIVATE, Word.UNDECIDED, None, None, Word.ON_AUDITED, Word.FOR_ALL, Word.NO_CLAIM)
    if word == Word.NO_CLAIM and outcome == Verdict.REFUTED:
        return 2
    if word == Word.NO_CLAIM and outcome == Verdict.UNDECIDED:
        return 3
    return order.index(Word(word))


def together(verdicts: Iterable[Verdict | None]) -> Verdict | None:
    """Returns the verdict on all at once: one that fails decides, then one that is open; None where there is none."""
    found = [verdict for verdict in verdicts if verdict is not None]
    for decides in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED):
        if decides in found:
            return decides
    if found:
        raise ValueError(f"no verdict on a guarantee: {found[0].value}")
    return None


def conclude(
    claimed: Sequence[Verdict | None], nominal: Sequence[Verdict | None] = (), theorem: Verdict | None = None
) -> Conclusion:
    """Returns the conclusion from the verdicts on the claim, one for every n that was looked at, None without a claim.

    ``nominal`` are the verdicts on "true epsilon <= nominal epsilon" where nothing is claimed; ``theorem`` is the
    verdict for every n at once on whichever of the two counts. A failure that was seen is never outvoted.
    """
    if not claimed:
        raise ValueError("nothing was looked at")
    judged = together(claimed)
    outcome = together(nominal) if judged is None else judged
    everywhere = None not in (nominal if judged is None else claimed)
    if outcome in (Verdict.PROVED, Verdict.UNDECIDED) and theorem is Verdict.PROVED and everywhere:
        outcome, strength = Verdict.PROVED, Strength.FOR_ALL
    else:
        strength = STRENGTHS[outcome]
    if judged is None:
        return Conclusion(Word.NO_CLAIM, outcome, strength)
    return Conclusion(WORDS[strength], outcome, strength)


STRENGTHS = {
    Verdict.REFUTED: Strength.WITNESS,
    Verdict.UNDECIDED: Strength.OPEN,
    Verdict.PROVED: Strength.AUDITED,
    None: Strength.NOTHING,
}
WORDS = {
    Strength.WITNESS: Word.NOT_PRIVATE,
    Strength.OPEN: Word.UNDECIDED,
    Strength.AUDITED: Word.ON_AUDITED,
    Strength.FOR_ALL: Word.FOR_ALL,
}


def counted(words: Iterable[str]) -> dict[str, int]:
    """Returns how often each word occurs, the worst first."""
    found = Counter(words)
    return {word.value: found[word] for word in Word if found[word]}


# ------------------------------------------------------------------ the papers' claims beside the mechanisms'

FAILS = (Verdict.REFUTED, Verdict.IMPOSSIBLE)
"""A claim of a paper with one of these does not hold: it is false, or what it says to exist does not."""


def fails(counts: Mapping[str, int]) -> int:
    """Returns how many claims do not hold, from how often each verdict occurs."""
    return sum(counts.get(verdict.value, 0) for verdict in FAILS)


def claims_words(counts: Mapping[str, int]) -> str:
    """Returns "9 claims: 7 PROVED, 2 REFUTED"."""
    listed = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts.get(verdict))
    total = sum(counts.values())
    return f"{total} claim{'' if total == 1 else 's'}: {listed}"


def claims_failing(counts: Mapping[str, int]) -> str:
    """Returns "2 of 9 claims REFUTED, 1 UNDECIDED", what a headline must not leave out; "" where all is well."""
    bad = [verdict for verdict in (*FAILS, Verdict.UNDECIDED) if counts.get(verdict)]
    of = " of " + claims_words(counts).partition(":")[0]
    return ", ".join(f"{counts[verdict]}{of if verdict is bad[0] else ''} {verdict.value}" for verdict in bad)


def bounds_failing(counts: Mapping[str, int]) -> str:
    """Returns "9 of 32 accuracy bounds fail" from how many hold, fail and are undecided; "" where all hold.

    >>> bounds_failing({"holds": 23, "fails": 9}), bounds_failing({"holds": 1})
    ('9 of 32 accuracy bounds fail', '')
    """
    total = sum(counts.values())
    bad = [(counts[key], word) for key, word in (("fails", "fail"), ("UNDECIDED", "undecided")) if counts.get(key)]
    return ", ".join(f"{count} of {total} accuracy bounds {word}" for count, word in bad)
