"""What a guarantee, or the audited true epsilon of a mechanism, means for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from time import perf_counter
from typing import Any

from dpaudit.audit.page import Fields, Line, Note, Page, Table, Words, strong
from dpaudit.audit.picture import bar
from dpaudit.audit.questions import delta as audit_delta
from dpaudit.audit.questions import epsilon as audit_epsilon
from dpaudit.audit.results import Answer
from dpaudit.audit.setting import DEFAULTS, Setting, command_line, settled
from dpaudit.audit.words import again, caveat_rows, subject_rows
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.digits import decimal, shifted
from dpaudit.numbers.enclosure import Enclosure, exact, infinite, outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, nonnegative, probability, sequence, whole
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.meaning import Promise

RATES, BELIEFS, PEOPLE, RELEASES = (DEFAULTS["explain"][name] for name in ("rates", "beliefs", "people", "releases"))
MOST = 10_000
"""People of a group, or releases."""
SMALL = Fraction(1, 10**4)
"""A guess that gains less is printed as 0.5 plus its gain."""
SPARE = 8
"""Digits of the true epsilon beyond those of the answer: what follows from it is to have as many."""

LARGE = 100
"""Odds that change by a factor of e^LARGE and more are not written out."""

Row = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class ExplainResult(Answer):
    """The most that anyone learns about one record; each row has the requested value, then its bounds."""

    subject: Setting | None = None
    """The mechanism, where epsilon is its audited true one."""
    account: tuple[str, ...] = ()
    """The releases of a pipeline, where epsilon is a proved upper bound of the whole at this delta."""
    epsilon: Enclosure
    delta: Fraction
    accuracy: Enclosure
    """Of the best guess between two data sets that were equally likely before; 1/2 is a blind one."""
    advantage: Enclosure
    """Hits minus false alarms of the best test: the largest total variation."""
    tests: tuple[Row, ...]
    beliefs: tuple[Row, ...]
    """With delta, each direction but for outputs of probability 2 delta; those of both together may have more."""
    beliefs_without_delta: tuple[Row, ...] = ()
    """With delta, what epsilon alone would give."""
    odds: tuple[Row, ...] = ()
    """The beliefs as odds, probability : counter-probability; none where epsilon is large."""
    people: tuple[Row, ...]
    releases: tuple[Row, ...]
    attained: Enclosure | None = None
    """The accuracy of the best guess from this mechanism itself, on its worst pair: (1 + delta(0)) / 2."""
    attained_advantage: Enclosure | None = None
    """The advantage of the best test on that pair: delta(0), the mechanism's total variation."""

    def about(self) -> dict[str, Any]:
        """What the mechanism says of itself, if there is one."""
        return {} if self.subject is None else self.subject.describe()

    def members(self) -> dict[str, Any]:
        """The numbers, and one entry a row with its names."""
        belief = ("before", "falls_to", "rises_to")
        named = {
            "tests": ("false_positive_rate", "true_positive_rate"),
            "beliefs": belief,
            "beliefs_without_delta": belief,
            "odds": belief,
            "people": ("people", "epsilon", "delta", "accuracy"),
            "releases": ("releases", "epsilon", "delta", "accuracy"),
        }
        members = super().members()
        for name, keys in named.items():
            members[name] = [dict(zip(keys, row, strict=True)) for row in members[name]]
        return members

    def picture(self) -> str:
        """The best guess against a blind one."""
        return bar(
            "best guess", self.accuracy if self.attained is None else self.attained, Fraction(1, 2), "blind", bad=False
        )

    def page(self) -> Page:
        """The answer in a sentence, the numbers, and the tables."""
        rows: list[Line] = [("answer", self._answer())]
        if self.subject is None:
            rows += [("releases", release) for release in self.account]
            said = f"ε = {self.epsilon}" + f", δ = {decimal(str(self.delta), 8)}" * bool(self.delta)
            rows.append(("proved" if self.account else "promised", said))
        else:
            rows += [*subject_rows(self.subject), ("true ε", self.epsilon)]
        anybody = "" if self.attained is None else ", of any mechanism with this ε"
        rows += [
            ("best guess", Words(self._guess(), anybody)),
            ("advantage", Words("hits minus false alarms at most ", self.advantage, anybody)),
        ]
        if self.attained is not None:
            itself = "these releases" if self.account else "this mechanism"
            rows.append(
                ("here", Words(f"the best guess from {itself} itself is right with probability ", self.attained))
            )
            rows.append(("", Words("its own advantage is ", self.attained_advantage)))
        rows += [] if self.subject is None else caveat_rows(self.subject)
        return [Fields(again(rows, self.command)), *self._tables()]

    def _guess(self) -> Words:
        """The bound on a guess; one that is hardly better than a blind one by what it gains."""
        if not self.advantage.within(0, SMALL):
            return Words("right with probability at most ", self.accuracy)
        gained = (self.advantage.lower / 2, self.advantage.upper / 2)
        return Words("right with probability at most 0.5 + ", Enclosure(*gained, self.advantage.places + 1))

    def _answer(self) -> Words:
        half = Fraction(1, 2)
        known = (self.accuracy, *([] if self.attained is None else [self.attained]))
        gained = min(self.advantage.upper / 2, *(bound.upper - half for bound in known))
        before, most, after = guess(gained)
        return Words(before, strong(most), after)

    def _tables(self) -> list[Table | Note]:
        most = "best guess right, at most"
        totals = ["ε"] + ["δ"] * bool(self.delta)
        return [
            Table(
                ["false alarms", "hits, at most"],
                [_with_decimal(row) for row in self.tests],
                title="A test for one record",
            ),
            *self._beliefs(),
            Table(["people", *totals, most], self._totals(self.people), title="A group"),
            Table(["releases", *totals, most], self._totals(self.releases), title="Several releases"),
        ]

    def _beliefs(self) -> list[Table | Note]:
        """How far a belief moves, as a probability and as odds; with δ what ε alone would give comes first."""
        columns = ["before", "falls to", "rises to"]
        tables: list[Table | Note] = []
        if self.beliefs_without_delta:
            rows = [_with_decimal(row) for row in self.beliefs_without_delta]
            tables.append(Table(columns, rows, title="A belief, if δ were 0"))
        if not self.beliefs:
            return [*tables, Note("A belief: with δ of 1/2 or more the statement but for probability 2δ is empty")]
        but = f"; each way but for probability {decimal(str(2 * self.delta), 8)}" if self.delta else ""
        tables.append(Table(columns, [_with_decimal(row) for row in self.beliefs], title=f"A belief{but}"))
        if self.odds and self.advantage.upper:
            rows = [(f"{before.numerator} : {before.denominator}", *after) for before, *after in self.odds]
            tables.append(Table(["before", "fall to", "rise to"], rows, title="The same as odds"))
        return tables

    def _totals(self, rows: Sequence[Row]) -> list[Row]:
        return [row if self.delta else (row[0], row[1], row[3]) for row in rows]


def _with_decimal(row: Row) -> Row:
    return (decimal(str(row[0]), 8), *row[1:])


def person(*promised: tuple[Fraction, Fraction], guessed: str = "yours") -> str:
    """What several (ε, δ) that hold together mean for a person, in a sentence.

    >>> person((Fraction(1), Fraction("1e-6")), (Fraction(2), Fraction(0)))
    'someone who knows every other record guesses yours with probability at most 0.7311 (blind: 0.5)'
    """
    meanings = [explain(epsilon, delta=delta or None) for epsilon, delta in promised]
    return "".join(guess(min(min(f.advantage.upper / 2, f.accuracy.upper - Fraction(1, 2)) for f in meanings), guessed))


def guess(gained: Fraction, guessed: str = "yours") -> tuple[str, str, str]:
    """The sentence on a guess that is right with probability at most 1/2 + ``gained``: before, the bound, after."""
    before = f"someone who knows every other record guesses {guessed} with probability "
    return before, f"at most {above(gained)}", " (blind: 0.5)"


def above(gained: Fraction) -> str:
    """1/2 and what is gained, rounded up to four places; less than 1e-4 apart, to three digits.

    >>> above(Fraction(1, 3)), above(Fraction(1, 2)), above(Fraction(0)), above(Fraction(1, 4 * 10**30))
    ('0.8334', '1', '0.5', '0.5 + 2.5e-31')
    """
    if not 0 < gained < SMALL:
        value = Fraction(1, 2) + gained
        shown = f"{shifted(-(-value.numerator * 10**4 // value.denominator), 4):f}"
        return shown.rstrip("0").rstrip(".")
    places = 4
    while gained * 10**places < 100:
        places += 1
    up = Fraction(-(-gained.numerator * 10**places // gained.denominator), 10**places)
    return f"0.5 + {Enclosure(up, up, places)}"


def explain(
    epsilon: Exact | None = None,
    *,
    delta: Exact | None = None,
    mech: Any = None,
    rates: str | Sequence[Exact] = RATES,
    beliefs: str | Sequence[Exact] = BELIEFS,
    people: str | Sequence[Exact] = PEOPLE,
    releases: str | Sequence[Exact] = RELEASES,
    digits: int | str = 6,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    **setting: Any,
) -> ExplainResult:
    """The meaning of (epsilon, delta)-DP, or of the audited true epsilon of ``mech``, for a person.

    Without ``mech``, ``eps`` is another name for ``epsilon``. With it, ``eps`` is the nominal epsilon, and the other
    keywords, ``delta`` included, are the setting. ``rates`` are false-positive rates of tests, ``beliefs`` are
    probabilities before the release, ``people`` are sizes of groups, ``releases`` are numbers of releases.

    >>> str(explain("0.4").accuracy)[:8]
    '0.598687'
    """
    start, effort = perf_counter(), Effort.read(digits, memory, progress, tier)
    if mech is None and epsilon is None:
        epsilon = setting.pop("eps", None)
    wanted = _Asked.read(rates, beliefs, people, releases)
    if mech is None:
        explanation = _promised(epsilon, delta, wanted, effort.digits, setting)
    elif epsilon is not None:
        raise InputError("epsilon", epsilon, "with --mech the true ε is audited; --eps is the nominal ε")
    else:
        given: dict[str, Any] = {} if delta is None else {"delta": delta}
        explanation = _audited(settled(mech, **setting, **given), wanted, effort)
    return ExplainResult(**explanation, seconds=perf_counter() - start)


def _promised(
    epsilon: Exact | None, delta: Exact | None, asked: _Asked, digits: int, setting: dict[str, Any]
) -> dict[str, Any]:
    """What the given guarantee means."""
    if setting:
        name, value = next(iter(setting.items()))
        twice = "is another name of --epsilon, which is given too" if name == "eps" else None
        raise InputError(name, value, twice or "needs a mechanism: give one with --mech")
    if epsilon is None:
        raise InputError("epsilon", "(missing)", "give the ε to explain, or a mechanism with --mech")
    promise = EpsilonDelta(nonnegative("epsilon", epsilon), nonnegative("delta", 0 if delta is None else delta))
    promise.check()
    words = {"epsilon": promise.epsilon, "delta": promise.delta or None, **vars(asked), "digits": digits}
    return {
        **_bounds(promise.epsilon, promise.delta, asked, digits),
        "delta": promise.delta,
        "command": command_line("explain", **words),
    }


def _audited(chosen: Setting, asked: _Asked, effort: Effort) -> dict[str, Any]:
    """What the true epsilon of the setting means, and the best guess from this mechanism itself."""
    how: dict[str, Any] = {"progress": effort.progress, "memory": effort.memory, "tier": effort.tier}
    true = audit_epsilon(chosen, digits=effort.digits + SPARE, **how).epsilon
    ends = (None if end == inf else end for end in (true.lower, true.upper))
    bounds = [_bounds(end, Fraction(0), asked, effort.digits) for end in ends]
    variation = audit_delta(chosen, 0, digits=effort.digits, **how).delta
    return {
        **_joined(*bounds),
        "subject": chosen,
        "delta": Fraction(0),
        "attained": outward((1 + variation.lower) / 2, (1 + variation.upper) / 2, effort.digits),
        "attained_advantage": variation,
        "command": chosen.command_line("explain", **vars(asked), digits=effort.digits, tier=effort.tier),
    }


@dataclass(frozen=True)
class _Asked:
    """What the tables are about."""

    rates: tuple[Fraction, ...]
    beliefs: tuple[Fraction, ...]
    people: tuple[int, ...]
    releases: tuple[int, ...]

    @staticmethod
    def read(rates: Any, beliefs: Any, people: Any, releases: Any) -> _Asked:
        """The checked lists."""

        def counts(name: str, given: Any) -> tuple[int, ...]:
            listed: list[Any] = sequence(name, given)
            return tuple(whole(name, value, 1, MOST) for value in listed)

        def chances(name: str, given: Any) -> tuple[Fraction, ...]:
            return tuple(probability(name, value) for value in sequence(name, given))

        shares = chances("rates", rates), chances("beliefs", beliefs)
        return _Asked(*shares, counts("people", people), counts("releases", releases))


def _bounds(epsilon: Fraction | None, delta: Fraction, asked: _Asked, digits: int) -> dict[str, Any]:
    """The enclosures of all that was asked, by the names of the result; None is an infinite epsilon."""
    bits = balls.bits_for(digits, max(asked.people + asked.releases))
    return balls.refine(lambda: _table(epsilon, delta, asked, digits), *bits)[0]


def _joined(low: Any, high: Any) -> Any:
    """What contains both, entry by entry: every bound rises or falls with epsilon, so it lies between."""
    if isinstance(low, Enclosure):
        places = max(low.places, high.places)
        return Enclosure(min(low.lower, high.lower), max(low.upper, high.upper), places)
    if isinstance(low, dict):
        return {name: _joined(low[name], high[name]) for name in low}
    return tuple(map(_joined, low, high)) if isinstance(low, tuple) else low


def _table(epsilon: Fraction | None, delta: Fraction, asked: _Asked, digits: int) -> dict[str, Any]:
    promise = Promise.of(epsilon, delta)

    def positive(value: Ball | Fraction, most: int | None = None) -> Enclosure:
        return exact(value, digits) if isinstance(value, Fraction) else balls.enclosed(value, digits, 0, most)

    def share(value: Ball | Fraction) -> Enclosure:
        return positive(value, most=1)

    def times(count: int) -> Enclosure:
        return infinite() if epsilon is None else exact(count * epsilon, digits)

    def group(count: int) -> Row:
        together = promise.group(count)
        return count, times(count), share(together.delta), share(together.accuracy())

    def repeated(count: int) -> Row:
        return count, times(count), exact(min(Fraction(1), count * delta), digits), share(promise.accuracy_after(count))

    def odds(belief: Fraction) -> Row:
        before = belief / (1 - belief)
        return before, *map(positive, promise.odds_between(before))

    def beliefs(given: Promise) -> tuple[Row, ...]:
        return tuple((b, share(given.falls_to(b)), share(given.rises_to(b))) for b in asked.beliefs)

    informative = 2 * delta < 1
    small = epsilon is not None and epsilon <= LARGE
    return {
        "epsilon": times(1),
        "accuracy": share(promise.accuracy()),
        "advantage": share(promise.advantage()),
        "tests": tuple((rate, share(promise.power(rate))) for rate in asked.rates),
        "beliefs": beliefs(promise) if informative else (),
        "beliefs_without_delta": beliefs(Promise.of(epsilon)) if delta else (),
        "odds": tuple(map(odds, asked.beliefs)) if informative and small else (),
        "people": tuple(map(group, asked.people)),
        "releases": tuple(map(repeated, asked.releases)),
    }
