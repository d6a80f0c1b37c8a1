"""dpaudit samples: counts of outputs per data set; a lower bound of epsilon with a stated confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from time import perf_counter
from typing import Any

from dpaudit.audit.display import Members, as_json
from dpaudit.audit.judgement import Judgement, Margin, Whose
from dpaudit.audit.page import Page
from dpaudit.audit.results import Answer
from dpaudit.audit.setting import Setting, command_line
from dpaudit.mechanisms import Mechanism
from dpaudit.mechanisms.own.table import read_sheet
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.digits import powers
from dpaudit.numbers.enclosure import Enclosure, at_least
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, sequence, split, whole
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import Effort, Progress
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee, parse_guarantee
from dpaudit.studies.pages import samples_page
from dpaudit.studies.samples.binomial import lower_bound, upper_bound
from dpaudit.studies.samples.drawn import drawn, keep
from dpaudit.studies.samples.fit import Fit, goodness_of_fit, rows
from dpaudit.studies.samples.reach import exact_at

MOST = 10**15
"""The largest count."""
PLACES = 12
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Shown(Members):
    """The event that shows most: its counts, and bounds that hold together with the stated confidence."""

    x: str
    x_prime: str
    event: tuple[str, ...]
    count: int
    of: int
    count_prime: int
    of_prime: int
    probability_lower: Fraction
    probability_prime_upper: Fraction


@dataclass(frozen=True)
class Reach(Members):
    """The best that events of probability at least ``at`` can show, by the law that was given."""

    at: Fraction
    epsilon: Enclosure


@dataclass(frozen=True, kw_only=True)
class SamplesResult(Answer):
    """With the stated confidence the code is not (e, delta)-private for any e < ``epsilon_lower``.

    ``tests`` events were examined, each at the share alpha / tests of the error. ``ceiling`` is the most that so many
    samples can show of any code. Sampling never proves privacy: ``verdict`` is REFUTED or UNDECIDED.
    """

    file: str | None
    code: str
    """What was run, for people."""
    samples: dict[str, int]
    confidence: Fraction
    delta: Fraction
    tests: int
    registered: bool
    """Whether the event was named in advance; else every single output and ordered pair counts as one test."""
    epsilon_lower: Fraction
    shown: Shown | None
    ceiling: Fraction
    claimed: Fraction | None
    whose: Whose
    """Who claims it: the user, or the mechanism whose outputs are drawn."""
    verdict: Verdict | None
    law: dict[str, Any] | None
    fit: tuple[Fit, ...]
    reach: tuple[Reach, ...]
    scattered: bool
    """Whether the outputs are so many that hardly one of them occurs again: floats that are not rounded."""

    def members(self) -> dict[str, Any]:
        """The fields; the bounds of epsilon as decimals, rounded down."""
        members = super().members()
        rounded = {name: decimal_below(getattr(self, name)) for name in ("epsilon_lower", "ceiling")}
        return {**members, **rounded, "verdict": as_json(self.judgement)}

    @property
    def judgement(self) -> Judgement | None:
        """The verdict on the claim; the true epsilon is known from below only."""
        if self.claimed is None or self.verdict is None:
            return None
        judgement = Judgement(EpsilonDelta(self.claimed, self.delta), self.verdict, self.whose, self.code)
        shown = at_least(self.epsilon_lower, PLACES)
        name = "true ε" if not self.delta else powers(f"ε at δ = {self.delta}")
        return replace(
            judgement, quantity=name, value=shown, bound=self.claimed, margin=Margin.between(shown, self.claimed)
        )

    def page(self) -> Page:
        """What the counts show, in words."""
        return samples_page(self, decimal_below(self.epsilon_lower), decimal_below(self.ceiling))


def samples(
    file: str | None = None,
    *,
    event: str | Sequence[str] | None = None,
    pair: str | Sequence[str] | None = None,
    confidence: Exact = "999/1000",
    claim: Guarantee | Any = None,
    at: str | Sequence[Exact] = (),
    law: Setting | None = None,
    draw: int | str | None = None,
    progress: Progress | None = None,
) -> SamplesResult:
    """A certified lower bound on epsilon from the counts in a file: one row per data set, one column per output.

    ``event`` (outputs) and ``pair`` (x, x') name one test in advance; without them every output and every ordered pair
    of rows is a test. ``claim`` is the epsilon, or (epsilon, delta), to refute. ``law`` is the law that the code should
    have: the counts are tested against it, and ``at`` adds the most that events of this probability can show about it.
    With ``draw`` the mechanism of ``law`` is run so often on each data set, and the file, if one is named, is written;
    without ``claim``, what the mechanism claims is judged.
    """
    start = perf_counter()
    level, stated = _level(confidence), _epsilon_delta(claim)
    asked = stated
    if stated is None and draw is not None and law is not None:
        own = law.mechanism.claimed_here()
        stated = own if isinstance(own, EpsilonDelta) and own.delta < 1 else None
    bound, weight = (None, Fraction(0)) if stated is None else stated.epsilon_delta()
    points = [positive("at", c) for c in sequence("at", at)]
    if any(c > 1 for c in points):
        raise InputError("at", at, "must be probabilities")
    subject = law
    if draw is not None and law is not None and law.mechanism.only_code:
        law = None
    if points and law is None:
        raise InputError("at", at, "needs the law, --mech, on which the best possible bound depends")
    counts = _counts(file, draw, pair, subject, progress)
    pairs = _pairs(counts, pair, None if subject is None else subject.mechanism)
    events = _events(counts, event)
    tests = len(pairs) * len(events)
    share = level if law is None else level / 2  # the other half is for the fit
    epsilon_lower, shown = _best(counts, pairs, events, share / (2 * tests), weight)
    most = max(sum(row.values()) for row in counts.values())
    verdict = None if bound is None else Verdict.REFUTED if epsilon_lower > bound else Verdict.UNDECIDED
    again = subject if file is None else law
    return SamplesResult(
        file=file,
        code=f"the code of {file}" if subject is None or draw is None else f"the code of {subject.mechanism.name}",
        samples={x: sum(row.values()) for x, row in counts.items()},
        confidence=1 - level,
        delta=weight,
        tests=tests,
        registered=event is not None and pair is not None,
        epsilon_lower=epsilon_lower,
        shown=shown,
        ceiling=_loss(lower_bound(most, most, share / (2 * tests)), upper_bound(0, most, share / (2 * tests)), weight),
        claimed=bound,
        whose=Whose.CLAIMED if asked is None else Whose.ASKED,
        verdict=verdict,
        law=None if law is None else law.describe(),
        fit=() if law is None else goodness_of_fit(law.mechanism, counts, share),
        reach=() if law is None else tuple(Reach(c, exact_at(law.mechanism, c, Effort())) for c in points),
        scattered=event is None and len(events) > most / 4,
        seconds=perf_counter() - start,
        command=command_line(
            "samples",
            *([] if file is None else [file]),
            *([] if again is None else again.options()),
            draw=draw if file is None else None,
            event=None if event is None else ",".join(events[0]),
            pair=None if pair is None else ",".join(pairs[0]),
            confidence=None if level == Fraction(1, 1000) else 1 - level,
            claim=None if stated is None or (asked is None and file is None) else stated.option(),
            at=tuple(points),
        ),
    )


def _epsilon_delta(claim: Guarantee | Any) -> EpsilonDelta | None:
    """The (epsilon, delta) that is claimed; another guarantee is refused."""
    if claim is None:
        return None
    guarantee = parse_guarantee("claim", claim)
    if not isinstance(guarantee, EpsilonDelta):
        raise InputError("claim", guarantee.option(), "samples can judge ε and δ only: eps=1 or eps=1,delta=1e-5")
    if guarantee.delta >= 1:
        raise InputError("claim", guarantee.option(), "delta must be < 1")
    return guarantee


def _counts(
    file: str | None, draw: int | str | None, pair: Any, law: Setting | None, progress: Progress | None
) -> dict[str, dict[str, int]]:
    """The counts of the file; or of that many draws, which are kept in the file if one is named."""
    if draw is None:
        if file is None:
            raise InputError("COUNTS", "(missing)", "name a file of counts, or give --draw N and --mech NAME")
        return read_counts(file)
    if law is None:
        raise InputError("draw", draw, "needs --mech, the mechanism to run")
    if file is not None and Path(file).exists():
        raise InputError("COUNTS", file, "exists; --draw writes new counts there: name another file")
    counts = drawn(law.mechanism, draw, None if pair is None else _names("pair", pair), progress)
    if file is not None:
        keep(file, counts)
    return counts


def _names(option: str, given: str | Sequence[str]) -> list[str]:
    return split(option, given) if isinstance(given, str) else list(given)


def read_counts(file: str) -> dict[str, dict[str, int]]:
    """The counts by data set and output."""
    try:
        outputs, rows = read_sheet(file)
    except InputError as error:
        raise InputError("COUNTS", file, error.rule) from None
    counts = {}
    for x, (where, cells) in rows.items():
        row = {}
        for output, cell in zip(outputs, cells, strict=True):
            try:
                row[output] = whole("count", cell, 0, MOST)
            except InputError:
                rule = f"{where}, column {output}: a count must be a whole number from 0 to {MOST}"
                raise InputError("COUNTS", file, rule) from None
        if not sum(row.values()):
            raise InputError("COUNTS", file, f"{where}: has no samples")
        counts[x] = row
    return counts


def _level(confidence: Exact) -> Fraction:
    level = 1 - positive("confidence", confidence)
    if not Fraction(1, 10**30) <= level < 1:
        raise InputError("confidence", confidence, "must be between 0 and 1 - 1e-30")
    return level


def _pairs(counts: Counts, pair: str | Sequence[str] | None, law: Mechanism | None) -> list[tuple[str, str]]:
    """The ordered pairs to look at: neighbors where the mechanism is known, else any two rows."""
    known = dict.fromkeys(counts) if law is None else rows(law, counts)
    near = {} if law is None else {x: set(law.neighbors(z)) for x, z in known.items()}
    if pair is None:
        pairs = [(x, y) for x, y in permutations(counts, 2) if law is None or known[y] in near[x]]
        if not pairs:
            raise InputError("COUNTS", ", ".join(list(counts)[:6]), "has no pair of neighboring data sets")
        return pairs
    names = _names("pair", pair)
    if law is not None:
        named = {z: x for x, z in known.items()}
        names = [named.get(z, x) for x, z in rows(law, names, "pair").items()]
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(counts):
        raise InputError("pair", ",".join(names), f"must be two data sets of the file: {', '.join(list(counts)[:6])}")
    if law is not None and known[names[1]] not in near[names[0]]:
        raise InputError("pair", ",".join(names), f"are not neighbors for {law.name}")
    return [(names[0], names[1])]


def _events(counts: Counts, event: str | Sequence[str] | None) -> list[tuple[str, ...]]:
    """The events to look at."""
    outputs = list(next(iter(counts.values())))
    if event is None:
        return [(output,) for output in outputs]
    names = tuple(_names("event", event))
    odd = [name for name in names if name not in outputs]
    if odd or not names or len(set(names)) < len(names):
        rule = f"must be different outputs of the file: {', '.join(outputs[:6])}"
        raise InputError("event", ",".join(names), rule)
    return [names]


def _best(
    counts: Counts,
    pairs: Sequence[tuple[str, str]],
    events: Sequence[tuple[str, ...]],
    level: Fraction,
    delta: Fraction,
) -> tuple[Fraction, Shown | None]:
    """The largest certified ln((p - delta) / p'), p >= its lower bound and p' <= its upper bound; or 0.

    All bounds together hold with probability 1 - 2 tests level, whichever is taken. Floats choose whom to certify.
    """
    from dpaudit.studies.samples.screen import most_promising

    best, found = Fraction(0), None
    for (x, y), event in most_promising(counts, pairs, events, level, delta):
        here, there = (sum(counts[z][output] for output in event) for z in (x, y))
        all_here, all_there = sum(counts[x].values()), sum(counts[y].values())
        low, high = lower_bound(here, all_here, level), upper_bound(there, all_there, level)
        loss = _loss(low, high, delta)
        if found is None or loss > best:
            best, found = loss, Shown(x, y, event, here, all_here, there, all_there, low, high)
    return best, found


def _loss(low: Fraction, high: Fraction, delta: Fraction) -> Fraction:
    """A number at most ln((low - delta) / high), and 0 where that is negative; decimals, rounded down."""
    if low - delta <= high:
        return Fraction(0)
    with balls.precision(128):
        least = balls.ends(ball((low - delta) / high).log())[0]
    return max(Fraction(0), Fraction(least * 10**PLACES // 1, 10**PLACES))


def decimal_below(value: Fraction) -> str:
    """A number of PLACES decimals as text."""
    digits = str(int(value * 10**PLACES)).rjust(PLACES + 1, "0")
    return f"{digits[:-PLACES]}.{digits[-PLACES:]}"
