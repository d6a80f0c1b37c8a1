"""The subject of a certificate of a finite law: data sets, their adjacency, outputs, and the law's own definition.

When ``Subject.law`` returns, every enclosure in it contains the probability that the subject's definition gives. A
``Table`` (``table``) holds its definition, a mechanism of the documents (``family``) is defined by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .arithmetic import Malformed, Undecided
from .core import Law, Rejected, Unconfirmed, enclosure
from .exact import Number
from .reading import quoted, shape

FAMILY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("LSZhang", "LSDim", "LSHist", "EHDL"), ()),
    **dict.fromkeys(("EHDS", "MH"), ("gamma",)),
    **{"EHD": ("gs",), "MHdelta": ("delta",)},
}
"""The mechanisms of the documents, and their parameters."""
ALL, WITNESS = "all", "witness"
"""The coverage of the rows of a certificate: every data set, or only the two of the witness."""


class Subject:
    """The part that ``Table`` and ``Family`` share; each has these methods:

    datasets(): all data sets; links(x): those adjacent to x, unless every pair is; counts(): the numbers of data sets,
    of ordered adjacent pairs and of outputs; row(x, bits): the distribution of x by the definition, which is one, or
    that is said; place(value, name) and output(value): the data set, and the place in the rows of the output, that a
    member of the certificate names; says(): the members and the words that say what it is, and the adjacency.
    """

    name: str
    every_pair: bool
    every_row = False
    """Whether all rows are checked even if only the witness is: for a table, which is nothing but its rows."""
    datasets: Any
    links: Any
    counts: Any
    row: Any
    place: Any
    output: Any
    says: Any

    def neighbors(self, x: Any) -> Iterator[Any]:
        """The data sets adjacent to x."""
        return (y for y in self.datasets() if y != x) if self.every_pair else iter(self.links(x))

    def adjacent(self, x: Any, y: Any) -> bool:
        """Whether the two are adjacent."""
        return x != y if self.every_pair else y in self.links(x)

    def held(self, covers: str, x: Any, y: Any) -> list[Any]:
        """The data sets whose rows a certificate of this coverage holds."""
        return list(self.datasets()) if covers == ALL else [x, y]

    def read_rows(self, document: Any) -> tuple[str, list[list[Any]]]:
        """The coverage of the certificate's rows, and the rows, whose number and length are checked."""
        covers, rows = shape(document, "the law", {"covers": str, "rows": list})
        size, _, width = self.counts()
        if covers not in (ALL, WITNESS):
            raise Malformed(f"covers is neither {ALL} nor {WITNESS}")
        right = all(isinstance(row, list) and len(row) == width for row in rows)
        if not right or len(rows) != (size if covers == ALL else 2):
            raise Malformed("the law has not one row for each data set that it covers, one entry for each output")
        return covers, rows

    def law(self, document: Any, x: Any, y: Any, full: bool, least: int) -> Law:
        """The law in the enclosures of the certificate, each of which contains the subject's own probability.

        For a mechanism, only the rows of x and y are checked unless ``full``; ``least`` is the least precision.
        """
        covers, rows = self.read_rows(document)
        held = dict(zip(self.held(covers, x, y), rows, strict=True))
        wanted = list(held) if full or self.every_row else [x, y]
        parsed = {z: [enclosure(entry) for entry in row] for z, row in held.items()}
        bits = 64 + max(least, *(p.hi.bit_length() for z in wanted for p in parsed[z]))
        found = {z: self._confirmed(z, [Number(p.at(bits)) for p in parsed[z]], bits) for z in wanted}
        pairs = [(a, b) for a in self.datasets() for b in self.neighbors(a)] if full else []
        return Law(found, bits, pairs)

    def _confirmed(self, x: Any, row: list[Number], bits: int) -> list[Number]:
        """The enclosures of a row with what is known exactly, each around the subject's own interval."""
        for factor in (1, 2, 4, 8, 16):
            with suppress(Undecided):
                own = self.row(x, factor * bits)
                pairs = list(zip(own, row, strict=True))
                if all(a.value.within(b.value) for a, b in pairs):
                    return [Number(b.value, a.known) for a, b in pairs]
                if any((b.value - a.value).sign() not in (None, 0) for a, b in pairs):
                    raise Rejected(f"an enclosure in the row of {quoted(x)} does not contain the probability")
        raise Unconfirmed(f"undecided with {16 * bits} bits: whether the row of {quoted(x)} lies in its enclosures")
