"""A certificate of another notion than (epsilon, delta): Renyi, zCDP, Gaussian, trade-off function."""

from __future__ import annotations

from typing import Any

from dpaudit.evidence.verifier.laws import Law
from dpaudit.evidence.verifier.moments import Renyi, Zcdp
from dpaudit.evidence.verifier.notions import Notion, is_infinite
from dpaudit.evidence.verifier.part import PAIR, VERDICTS, Part, Rejected
from dpaudit.evidence.verifier.reading import only, take
from dpaudit.evidence.verifier.tables import Malformed
from dpaudit.evidence.verifier.trade_offs import Gaussian, TradeOff

NOTIONS: dict[str, tuple[str, type[Notion]]] = {
    "renyi": ("renyi", Renyi),
    "zcdp_rho": ("zcdp", Zcdp),
    "gdp_mu": ("gaussian", Gaussian),
    "trade-off": ("trade-off", TradeOff),
}
"""quantity -> the kind of its guarantee, and the notion."""
STATEMENT = ("quantity", "lower", "upper", "guarantee", "verdict")


class NotionCertificate(Part):
    """A statement on the largest value of a notion, and the verdict on a claimed bound.

    Of a trade-off function the certificate states the smallest margin, which is minus the value.
    """

    def read(self, statement: dict[str, Any]) -> None:
        """Reads the guarantee and where the witness reaches the value."""
        only(statement, STATEMENT, "the statement")
        guarantee = take(statement, "guarantee", dict)
        kind, notion = NOTIONS[str(self.quantity)]
        if guarantee.get("kind") != kind or self.quantity not in NOTIONS:
            raise Malformed("the guarantee is not of the kind of the quantity")
        only(self.witness, (*PAIR, *notion.place), "the witness")
        if self.verdict not in VERDICTS:
            raise Malformed("there is no verdict")
        self.least, self.most = self.lower, self.upper
        if self.quantity == "trade-off":
            if self.lower is None or self.upper is None:
                raise Malformed("a margin is infinite")
            self.least, self.most = -self.upper, -self.lower
        texts = [str(statement.get(end)) for end in ("lower", "upper")] + [str(value) for value in guarantee.values()]
        texts += [str(self.witness.get(name)) for name in notion.place]
        self.bits = 128 + 4 * max(min(len(text), 4000) for text in texts)
        self.notion = notion(guarantee, self.witness, self._spend)

    def _spend(self, cost: int) -> None:
        self.budget.spend(cost * max(1, self.bits // 128) ** 2)

    def at_witness(self, law: Law, x: object, y: object) -> list[str]:
        """Checks that the value at the witness reaches the lower bound, and what it says of the verdict."""
        rows, notion = (law.row(x), law.row(y)), self.notion
        if is_infinite(rows) != (self.least is None) and self.quantity != "trade-off":
            raise Rejected("the loss at the witness is infinite, or it is not, contrary to the bounds")
        if self.least is None or self.most is None:
            if self.verdict != "REFUTED":
                raise Rejected(f"the verdict {self.verdict} contradicts the infinite loss at the witness")
            return ["verdict REFUTED: an output is possible for x and impossible for x', the value is infinite"]
        if self.least > 0 and notion.reached(rows, self.least, law.bits) < 0:
            raise Rejected("the value at the witness is below the stated bound")
        if notion.reached(rows, self.most, law.bits) > 0:
            raise Rejected("the value at the witness is beyond the stated bound")
        lines = ["lower bound: the value at the witness reaches it"]
        if self.verdict == "UNDECIDED":
            return lines
        exceeds = notion.reached(rows, notion.claimed, law.bits) > 0
        if exceeds != (self.verdict == "REFUTED"):
            raise Rejected(f"the verdict {self.verdict} contradicts the value at the witness")
        return [*lines, "verdict REFUTED: the witness exceeds the claimed bound"] if exceeds else lines

    def everywhere(self, law: Law) -> list[str]:
        """Checks that no pair exceeds the upper bound, nor the claimed one if it is said to be proved."""
        if self.most is None:
            return []
        proved = self.verdict == "PROVED"
        bound = min(self.most, self.notion.claimed) if proved else self.most
        for row, other, where in self.ordered_pairs(law):
            if self.notion.exceeded((row, other), bound, law.bits):
                raise Rejected(f"the value of {where} exceeds the upper bound")
        lines = ["upper bound: no pair exceeds it"]
        return [*lines, "verdict PROVED: no pair exceeds the claimed bound"] if proved else lines

    def conclude(self) -> list[str]:
        """Refuses an open verdict that the bounds decide; says if a verdict is not checked."""
        claimed = self.notion.claimed
        if self.verdict == "UNDECIDED":
            if self.least is not None and self.least > claimed:
                raise Rejected("the verdict UNDECIDED contradicts the bounds, by which it is REFUTED")
            if self.full and self.most is not None and self.most <= claimed:
                raise Rejected("the verdict UNDECIDED contradicts the bounds, by which it is PROVED")
        if self.verdict == "REFUTED" or (self.verdict == "PROVED" and self.full):
            return []
        return [f"verdict: not checked ({self.verdict} is stated)"]
