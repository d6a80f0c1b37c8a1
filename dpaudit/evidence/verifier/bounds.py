"""A certificate of a finite law: its form, its statement, and the accepted sentence.

When ``FiniteLaw.check`` returns, the subject's law lies in the enclosures of the certificate (``subject``) and the
stated bounds hold for it (``core``): at the witness, and with ``full`` for all pairs. The sentence says both.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from .arithmetic import Malformed, Undecided
from .core import Bounds, Delta, Loss, Notion, Rejected, TradeOff, Unconfirmed
from .exact import ZERO
from .family import read_family
from .guarantees import Gaussian, Renyi, Zcdp
from .reading import DIGITS, MADE, brief, number, number_or_inf, shape, shortened
from .subject import WITNESS, Subject
from .table import Table

QUANTITIES = ("epsilon", "delta", "renyi", "zcdp_rho", "gdp_mu", "trade-off")
ENDS = dict.fromkeys(("quantity", "lower", "upper"))


def read_subject(document: dict[str, Any]) -> Subject:
    """The table that the certificate holds, or the mechanism that it names."""
    subject = document["subject"]
    if "rows" in subject:
        return Table(subject, document["law"].get("covers"))
    found: Subject = read_family(subject, 64)
    return found


def read_notion(statement: dict[str, Any], witness: dict[str, Any], subject: Subject) -> Notion:
    """The quantity, and the claim about it."""
    quantity, guarantee = statement.get("quantity"), statement.get("guarantee", {})
    if quantity not in QUANTITIES:
        raise Malformed(f"quantity is none of {', '.join(QUANTITIES)}")
    if quantity in ("epsilon", "delta"):
        claimed, delta = _claim(statement, *(["at"] if quantity == "delta" else []))
        if quantity == "epsilon":
            return Loss(claimed, delta, subject.output(witness.get("output")))
        at = number(statement.get("at"), "at", DIGITS)
        if at < 0:
            raise Malformed("delta is stated at a negative epsilon")
        return Delta(at, claimed, delta)
    shape(statement, "the statement", {**ENDS, "guarantee": dict})
    threshold = number(witness["threshold"], "threshold") if "threshold" in witness else None
    if quantity == "trade-off":
        kind, given, _ = shape(guarantee, "the guarantee", {"kind": None, "points": list, "text": None})
        if kind != "trade-off" or not all(isinstance(p, list) and len(p) == 2 for p in given):
            raise Malformed("the kind of the guarantee does not match the quantity, or points is not a list of pairs")
        return TradeOff(_convex([(number(a, "alpha"), number(b, "beta")) for a, b in given]), threshold)
    if quantity == "gdp_mu":
        return Gaussian(_bound(guarantee, "gaussian", "mu"), threshold)
    at = number(witness.get("alpha"), "alpha")
    if quantity == "zcdp_rho":
        return Zcdp(_bound(guarantee, "zcdp", "rho"), at)
    return Renyi(_bound(guarantee, "renyi", "epsilon", "alpha"), number(guarantee.get("alpha"), "alpha"), at)


def _convex(points: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """The points of a trade-off function: it leads to (1, 0), falls and is convex."""
    if not points or points[0][0] != 0 or points[-1] != (Fraction(1), ZERO) or points[0][1] > 1:
        raise Malformed("f does not lead from (0, at most 1) to (1, 0)")
    if any(b[0] <= a[0] or b[1] > a[1] for a, b in pairwise(points)):
        raise Malformed("f does not fall")
    slopes = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
    if any(right > left for left, right in pairwise(slopes)):
        raise Malformed("f is not convex")
    return points


def _claim(statement: dict[str, Any], *more: str) -> tuple[Fraction | None, Fraction]:
    given = shape(statement, "the statement", {**dict.fromkeys(("claimed", "claimed_delta", *more)), **ENDS})[:2]
    if given == [None, None]:
        return None, ZERO
    if None in given:
        raise Malformed("claimed and claimed_delta are not given together, or nothing is claimed")
    epsilon, delta = (number(value, "claimed", DIGITS) for value in given)
    if epsilon < 0 or not 0 <= delta <= 1:
        raise Malformed("claimed is negative, or claimed_delta is not between 0 and 1")
    return epsilon, delta


def _bound(guarantee: dict[str, Any], kind: str, name: str, *others: str) -> Fraction:
    given = shape(guarantee, "the guarantee", dict.fromkeys((name, "kind", "text", *others)))
    value = number(given[0], name)
    if given[1] != kind or value < 0:
        raise Malformed(f"the kind of the guarantee does not match the quantity, or {name} is negative")
    return value


def read_bounds(statement: dict[str, Any], witness: dict[str, Any], subject: Subject) -> Bounds:
    """The notion and its bounds; the texts of the certificate must match its numbers."""
    notion, guarantee = read_notion(statement, witness, subject), statement.get("guarantee")
    shape(witness, "the witness", dict.fromkeys(("x", "x_prime", *notion.place)))
    if guarantee is not None and guarantee.get("text") not in (None, notion.guarantee):
        raise Malformed("the text of the guarantee does not match its numbers")
    ends = [statement.get(end) for end in ("lower", "upper")]
    least, most = (number_or_inf(end, "lower or upper") for end in ends)
    if (least is None) != (most is None) or (least is not None and most is not None and least > most):
        raise Malformed("lower and upper do not form an interval")
    if least is None and notion.finite:
        raise Malformed("delta or a margin is infinite")
    return Bounds(notion, least, most)


class FiniteLaw:
    """lower <= the largest value over all pairs <= upper, with a witness and a claim."""

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        kinds = {**dict.fromkeys(("subject", "law", "statement", "witness"), dict), **MADE}
        _, self.law, self.statement, self.witness, *_ = shape(document, "the certificate", kinds)
        self.witness_only = full and self.law.get("covers") == WITNESS
        self.full = full and not self.witness_only
        self.subject = read_subject(document)
        self.subject.read_rows(self.law)
        self.bounds = read_bounds(self.statement, self.witness, self.subject)
        if self.witness_only:
            self.bounds.rest = "the certificate covers its witness only"

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """What was established, and the statement."""
        subject = self.subject
        x, y = (subject.place(self.witness.get(name), name) for name in ("x", "x_prime"))
        if not subject.adjacent(x, y):
            raise Rejected("the witness is not a pair of adjacent data sets")
        lines = ["the witness is a pair of adjacent data sets"]
        guarantee = self.statement.get("guarantee", {})
        texts = [*self.statement.values(), *guarantee.values(), *self.witness.values()]
        least = 4 * max(len(text) for text in texts if isinstance(text, str))
        law = subject.law(self.law, x, y, self.full, least)
        rows = len(law.rows)
        lines.append(
            f"{rows} rows: the enclosures contain the subject's probabilities, which sum to 1 ({law.bits} bits)"
        )
        try:
            return [*lines, *self.bounds.establish(law, x, y, self.full)], self._say()
        except Undecided:
            raise Unconfirmed("undecided: the enclosures are too wide to confirm the stated bounds") from None

    def _say(self) -> dict[str, Any]:
        """The full sentence and its members."""
        subject, words, relation = self.subject.says()
        datasets, ordered, outputs = self.subject.counts()
        pairs, possible, notion = ordered // 2, datasets * (datasets - 1) // 2, self.bounds.notion
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        open_ = f"is at least {lower} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        value = "is infinite" if lower == "inf" else f"lies between {lower} and {upper}" if self.full else open_
        verdict, claim = self.bounds.verdict, "no claim"
        checked = "full" if self.full else "witness only"
        covered = "the lower bound holds; the upper bound is not covered" if self.witness_only else None
        if notion.guarantee:
            claim = f"claimed: {shortened(notion.guarantee)}; verdict: {verdict or 'NOT CHECKED'}"
        relations = f"{relation}, {brief(pairs)} of {brief(possible)} possible pairs"
        if pairs < possible and relation == "EXPLICIT LIST":
            relations += f"; {possible - pairs} {'pair is' if possible - pairs == 1 else 'pairs are'} LEFT OUT"
        return {
            "text": f"{words}; adjacent: {relations}; {brief(datasets)} data sets, {brief(outputs)} outputs: "
            f"{notion.quantity} {value}; {claim}; checked: {checked}",
            "subject": subject,
            "adjacency": {"relation": relation, "pairs": pairs, "possible": possible},
            **{"datasets": datasets, "outputs": outputs},
            **{name: self.statement.get(name) for name in ("quantity", "at", "lower", "upper")},
            **{"claim": notion.guarantee or None, "verdict": verdict},
            **{"checked": checked, "covered": covered},
        }
