"""Claims: an id, the place in the document, the statement in our words, the quantifier."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from dpaudit.claims.outcome import FOR_ALL, QUANTIFIERS


@dataclass(frozen=True)
class Claim:
    """One checkable statement. A statement and its own proof that disagree are two claims."""

    id: str
    document: str
    item: str
    statement: str
    quantifier: str = FOR_ALL
    section: str = "Own"

    def __post_init__(self) -> None:
        if self.quantifier not in QUANTIFIERS:
            raise ValueError(f"quantifier must be one of {QUANTIFIERS}, not {self.quantifier!r}")

    @property
    def where(self) -> str:
        """Document and item: "A3, Lemma 5.3"."""
        return f"{self.document}, {self.item}" if self.item else self.document

    def to_dict(self) -> dict[str, str]:
        """id, document, item, statement and quantifier."""
        return {name: value for name, value in asdict(self).items() if name != "section"}


def claims(section: str, *rows: tuple[str, ...]) -> tuple[Claim, ...]:
    """The claims of one section from rows (id, document, item, statement[, quantifier])."""
    result = []
    for row in rows:
        identifier, document, item, statement, quantifier = (*row, FOR_ALL)[:5]
        result.append(Claim(identifier, document, item, statement, quantifier, section))
    return tuple(result)
