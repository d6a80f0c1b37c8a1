"""Proofs for all values, line by line; every line says how it is known, or that it is not.

"PROVED for all n" needs no failed line, at least one line that was computed for all values (or proved by a proof
assistant), and every claim that the proof cites to be PROVED too. A proof never decides alone: where its claim is
decided on a grid as well, a counterexample there wins; and a proof that does not go through leaves what the grid says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from flint import fmpq, fmpq_mpoly, fmpq_poly, fmpz, fmpz_mpoly, fmpz_poly
from flint.utils.flint_exceptions import DomainError

from dpaudit.claims.algebra import nonnegative_on_square
from dpaudit.claims.batches import Statement
from dpaudit.claims.formal import NOT_RUN, Theorem
from dpaudit.claims.outcome import BY_ALGEBRA, COMPUTER_ASSISTED, NOTHING, ON_GRID, Outcome, Part, Step
from dpaudit.claims.scans import as_ball, side
from dpaudit.mechanisms.closed_form import positive_on_unit_interval
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Algebraic

Fact = bool | Callable[[], bool]
EXACT = (int, Fraction, fmpz, fmpq, fmpz_poly, fmpq_poly, fmpz_mpoly, fmpq_mpoly, Algebraic)
"""What an identity may be about: two of them are equal only if they are the same."""
IMPLIED = {"<": ("<", "<=", "!="), "<=": ("<=",), "=": ("=", "<=", ">="), ">": (">", ">=", "!="), ">=": (">=",)}
"""What a proved relation implies; "!=" implies itself alone."""
NOT_THROUGH = "the proof for all values does not go through at"
NO_CONTENT = "an argument by hand: no line of it is computed for all values"
FAILED = "FAILED"


class Kind(StrEnum):
    """How a line of a proof is known."""

    MACHINE = "checked"
    """An identity or inequality, computed for all values each time the check runs, in exact algebra."""
    BALLS = "certified by balls"
    """An inequality that balls decide each time the check runs: interval arithmetic; computer-assisted."""
    COQ = "Coq"
    """A theorem that the kernel of the proof assistant Coq accepted when the check ran."""
    CASES = "checked on cases"
    """Computed on the finitely many instances that are named: honest, but no content for all values."""
    HAND = "by hand"
    TEXTBOOK = "textbook"
    CITED = "cited"
    """Another claim, which must be PROVED itself."""


FOR_ALL_VALUES = (Kind.MACHINE, Kind.BALLS, Kind.COQ)


@dataclass(frozen=True)
class Line:
    """One line: what it says, how it is known, and ``how`` in a few more words; "FAILED" if it did not come out."""

    label: str
    text: str
    kind: Kind
    how: str = ""
    came_out: bool = True
    by_balls: bool = False
    """Whether balls decided it, or a line of the claim that it cites."""

    def step(self) -> Step:
        """The line for reading, its kind in brackets."""
        known = f"{self.kind.value}: {self.how}" if self.how else self.kind.value
        return Step(self.label, "", f"{self.text}  [{known if self.came_out else FAILED}]")


class Proof:
    """The lines of a proof, and what failed in it. ``cited`` says of a claim that may be cited why it is not proved.

    It says "" of one that is proved by algebra, and COMPUTER_ASSISTED of one whose proof contains balls.

    Every method that adds a line returns the proof itself.
    """

    def __init__(self, cited: Mapping[str, str] | None = None) -> None:
        self.lines: list[Line] = []
        self.failed: list[str] = []
        self._cited = cited or {}

    # -------------------------------------------------------------- lines

    def says(self, label: str, text: str) -> Proof:
        """Adds a line of reasoning, or a definition, that no machine checks."""
        return self._add(Line(label, text, Kind.HAND))

    def knows(self, label: str, text: str) -> Proof:
        """Adds a theorem of the textbooks."""
        return self._add(Line(label, text, Kind.TEXTBOOK))

    def holds(self, label: str, text: str, fact: Fact, how: str = "") -> Proof:
        """Adds a line that was computed for all values: ``fact`` says whether it came out."""
        return self._add(Line(label, text, Kind.MACHINE, how, _evaluated(fact)))

    def certified(self, label: str, text: str, fact: Fact, how: str = "") -> Proof:
        """Adds a line that balls decided: ``fact`` says whether it came out."""
        return self._add(Line(label, text, Kind.BALLS, how, _evaluated(fact), by_balls=True))

    def cases(self, label: str, text: str, which: str, fact: Fact) -> Proof:
        """Adds a line that was computed on finitely many instances; ``which`` names them."""
        return self._add(Line(label, text, Kind.CASES, which, _evaluated(fact)))

    def equal(self, label: str, text: str, left: object, right: object) -> Proof:
        """Adds an identity of polynomials, rationals or algebraic numbers; anything else, as a float, is refused."""
        for value in (left, right):
            if not isinstance(value, EXACT):
                raise TypeError(f"{label}: {value!r} is no exact number or polynomial, but a {type(value).__name__}")
        return self.holds(label, text, bool(left == right), "identity")

    def positive(self, label: str, text: str, poly: fmpq_poly) -> Proof:
        """Adds poly > 0 on 0 < q < 1."""
        return self.holds(label, text, positive_on_unit_interval(poly), "Bernstein coefficients")

    def nonnegative(self, label: str, text: str, poly: fmpq_poly | fmpq_mpoly) -> Proof:
        """Adds poly >= 0 for arguments >= 0."""
        return self.holds(label, text, all(c >= 0 for c in poly.coeffs()), "no negative coefficient")

    def on_square(self, label: str, text: str, poly: fmpq_mpoly) -> Proof:
        """Adds poly(q, K) >= 0 on 0 <= q, K <= 1."""
        return self.holds(label, text, nonnegative_on_square(poly), "Bernstein coefficients")

    def less(self, label: str, text: str, left: Callable[[], Ball], right: Callable[[], Ball]) -> Proof:
        """Adds left < right for two constants, decided by balls."""

        def constants() -> Verdict:
            return balls.less(as_ball(side(left())), as_ball(side(right())))

        return self.certified(label, text, balls.decide(constants)[0] is Verdict.PROVED)

    def uses(self, identifier: str, text: str) -> Proof:
        """Adds a line that rests on another claim; it fails unless that claim is PROVED for all values."""
        if identifier not in self._cited:
            raise ValueError(f"{identifier} is cited and not declared: @check(..., uses=[{identifier!r}])")
        standing = self._cited[identifier]
        if standing not in ("", COMPUTER_ASSISTED):
            self._add(Line(identifier, text, Kind.CITED, came_out=False))
            self.failed[-1] = f"{identifier}, which is {standing}"
            return self
        assisted = standing == COMPUTER_ASSISTED
        known = f"{Verdict.PROVED.value}{', computer-assisted' * assisted}"
        return self._add(Line(identifier, text, Kind.CITED, known, by_balls=assisted))

    def formal(self, theorem: Theorem) -> Proof:
        """Adds a theorem of Coq: accepted by its kernel, FAILED, or by hand where there is no coqc to ask."""
        problem, says = theorem.problem(), theorem.says
        if problem is None:
            return self._add(Line("Coq", says, Kind.HAND, f"Coq theorem {theorem}, {NOT_RUN}"))
        self._add(Line("Coq", says, Kind.COQ, str(theorem), not problem))
        if problem:
            self.failed[-1] = f"the Coq theorem {theorem}: {problem}"
        return self

    def using(self, *lemmas: Proof) -> Proof:
        """Adds the lines of the lemmas, each once."""
        for lemma in lemmas:
            self.lines += [line for line in lemma.lines if line not in self.lines]
            self.failed += lemma.failed
        return self

    def requires(self, what: str, fact: Fact) -> Proof:
        """Enforces, without a line: what the proof shows is what the statement claims; ``what`` is said if it fails."""
        if not _evaluated(fact):
            self.failed.append(what)
        return self

    def concludes(self, statement: Statement, relation: str) -> Proof:
        """Enforces, without a line: the ``relation`` that was shown implies the one that the statement claims."""
        claim = f"{statement.left} {statement.relation} {statement.right}"
        implied = statement.relation in IMPLIED.get(relation, (relation,))
        return self.requires(f"the claim {claim}, as only {relation} was shown", implied)

    def _add(self, line: Line) -> Proof:
        self.lines.append(line)
        if not line.came_out:
            self.failed.append(line.label)
        return self

    # -------------------------------------------------------------- what it establishes

    @property
    def obstacle(self) -> str:
        """Why nothing is proved for all values, or ""."""
        if self.failed:
            return f"{NOT_THROUGH}: {'; '.join(self.failed)}"
        return "" if any(line.kind in FOR_ALL_VALUES for line in self.lines) else NO_CONTENT

    @property
    def establishes(self) -> str:
        """How it is proved: computer-assisted if balls decided a line of it, or of a claim that it cites."""
        return COMPUTER_ASSISTED if any(line.by_balls for line in self.lines) else BY_ALGEBRA

    @property
    def steps(self) -> tuple[Step, ...]:
        """The lines for reading."""
        return tuple(line.step() for line in self.lines)

    def outcome(self, finding: str = "") -> Outcome:
        """PROVED for all n; UNDECIDED if there is an obstacle."""
        if self.obstacle:
            return Outcome(Verdict.UNDECIDED, NOTHING, steps=self.steps, finding=self.obstacle)
        return Outcome(Verdict.PROVED, self.establishes, steps=self.steps, finding=finding)

    def settle(self, *grids: tuple[str, Outcome]) -> Outcome:
        """PROVED for all n, if no grid contradicts it; with an obstacle, what the first grid says and no more.

        A grid that is not PROVED takes the place of the proof. The words of a grid name it; "" is the check's own.
        """
        for words, scanned in grids:
            if scanned.verdict is not Verdict.PROVED:
                return scanned.having("; ".join(filter(None, (self.obstacle, scanned.finding)))).on(words)
        parts = [scanned.part(words) for words, scanned in grids if words]
        (words, first), *_ = grids
        if self.obstacle:
            return replace(first, steps=self.steps).having(self.obstacle, parts).on(words)
        return replace(self.outcome(), tightest=first.tightest).having(parts=parts)

    def excludes(self, searched: Outcome) -> Outcome:
        """IMPOSSIBLE: it is proved that there is none; with an obstacle or a witness, what the search says."""
        if searched.verdict is not Verdict.UNWITNESSED or self.obstacle:
            return searched.having(self.obstacle)
        return Outcome(Verdict.IMPOSSIBLE, self.establishes, tightest=searched.tightest, steps=self.steps)

    def part(self, statement: str) -> Part:
        """The proved statement as a part of another outcome."""
        return self.outcome().part(statement)

    def on_cases(self, statement: str) -> Part:
        """A statement that speaks of the cases of the lines alone, as a part that was decided row by row."""
        if self.failed or not any(line.kind is Kind.CASES for line in self.lines):
            return self.part(statement)
        return Part(statement, Verdict.PROVED, ON_GRID, steps=self.steps)


def _evaluated(fact: Fact) -> bool:
    """What ``fact`` says; a formula that is not one for all values (it asks a symbol for its size) fails."""
    try:
        return fact if isinstance(fact, bool) else bool(fact())
    except (TypeError, DomainError):
        return False
