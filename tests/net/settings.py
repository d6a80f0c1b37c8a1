"""Extreme settings: mechanisms of the registry, and own mechanisms with rows that are hard to judge.

A setting is plain text and lists, so that it can be printed as JSON and read back (``python -m tests.net --case``).
An own mechanism is Python source; ``F`` is Fraction there. Its entries are written in a form that the engine reads and
that plain mpmath reads too (see truth.py); of an interval entry only the truth's author knows where the value lies.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, Protocol

from hypothesis import strategies as st

import dpaudit

EPSILONS = ["1e-20", "1e-9", "1/100", "1/2", "1", "3", "15", "40", "239", "500", "700", "3000"]
PRIORS = ["1e-9", "1/1000000", "1/1000", "1/3", "1/2", "1", "2", "100", "1000000", "1e16"]
SHARES = ["0", "1/1000", "1/4", "457/1000", "1/2", "3/4", "9/10", "997/1000", "1", "1001/1000", "2"]
"""Where delta is asked for, as shares of the true epsilon."""
LARGEST_N = {2: 8, 3: 4, 4: 2}
OCCASIONAL = ("accuracy", "faces", "verify", "none")
"""Agreements that cost more: one of them is drawn for each setting."""

ZEROS = ["exp('1/2')*exp('1/2')-exp(1)", "exp(1)*exp(-1)-1", "exp(2)-exp(1)**2", "(exp(1)+1)*(exp(1)-1)-exp(2)+1"]
"""Zeros in disguise that algebra decides."""
HARD_ZEROS = ["sqrt(2)*sqrt(2)-2", "log(2)+log(3)-log(6)", "sqrt(3)*sqrt(5)-sqrt(15)"]
"""Zeros that no canonical form of the engine decides: an honest answer is that it does not know."""
SMALL = ["F('0')", "F('0')", "F('1e-30')", "exp(-1000)", "exp(-30)", "F('1/7')", "F('1/4')", "exp('-1/2')*F('1/3')"]
RATIONAL = ["F('0')", "F('0')", "F('1e-400')", "F('1e-30')", "F('1/7')", "F('1/4')", "F('1/3')"]
WRONG = ["F('-1e-90')", "exp(1)*exp(-1)-1-exp(-1000)", "sqrt(2)*sqrt(2)-2-exp(-700)", "exp(-1000)-exp(-999)"]
"""Negative by a hair: a row with one of these is no distribution."""
WEIGHTS = ["None", "F('0')", "F('1')", "F('-1/2')", "F('1/3')", "F('40')", "F('-700')", "F('3000')", "F('-20000')",
           "log(2)", "exp(1)", "log(6)-log(3)", "F('1e30')"]  # fmt: skip


@dataclass(frozen=True)
class Family:
    """A mechanism of the registry with its options as text."""

    mech: str
    options: dict[str, str]
    shares: list[str]
    occasional: str
    ordinary: bool
    """Whether nothing but an answer will do."""

    @property
    def prior(self) -> tuple[Fraction, ...]:
        """The prior, exactly."""
        return tuple(Fraction(part) for part in self.options["prior"].split(","))

    def command(self, name: str, *more: str) -> list[str]:
        """The words of the command line."""
        spelt = [word for key, value in self.options.items() for word in (f"--{key.replace('_', '-')}", value)]
        return [name, "--mech", self.mech, *spelt, *more]


@dataclass(frozen=True)
class Own:
    """A user's own mechanism: labels, outputs and entries are Python expressions.

    ``actual`` is where the values of interval entries lie; None where the entries say it themselves.
    """

    style: str
    labels: list[str]
    outputs: list[str]
    rows: list[list[str]]
    actual: list[list[str]] | None
    links: list[list[int]] | None
    claim: str | None
    shares: list[str]
    occasional: str
    ordinary: bool

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The ordered adjacent pairs, by position."""
        size = range(len(self.labels))
        every = [(i, j) for i in size for j in size if i != j]
        return (
            every if self.links is None else [p for p in every if list(p) in self.links or list(p[::-1]) in self.links]
        )

    def source(self) -> str:
        """Python source with the class ``Own``."""
        rows = "".join(f"    [{', '.join(row)}],\n" for row in self.rows)
        lines = [
            "from fractions import Fraction as F\nfrom dpaudit import exp, log, sqrt\n",
            f"LABELS = [{', '.join(self.labels)}]\nOUTPUTS = [{', '.join(self.outputs)}]\nROWS = [\n{rows}]\n",
            "def place(items, x):\n    return next(i for i, y in enumerate(items) if type(y) is type(x) and y == x)\n",
            "class Own:\n    def datasets(self): return LABELS\n    def outputs(self): return OUTPUTS",
        ]
        if self.style == "probabilities":
            lines.append("    def probabilities(self, x): return ROWS[place(LABELS, x)]")
        else:
            lines.append(f"    def {self.style}(self, x, r): return ROWS[place(LABELS, x)][place(OUTPUTS, r)]")
        if self.claim is not None:
            lines.append(f"    def claimed(self): return {self.claim}")
        if self.links is not None:
            near = [[j for i, j in self.pairs if i == here] for here in range(len(self.labels))]
            lines.append(f"    def neighbors(self, x): return [LABELS[j] for j in {near}[place(LABELS, x)]]")
        return "\n".join(lines) + "\n"

    def table(self) -> str:
        """The same as CSV; the entries are rationals F('1/3')."""
        head = "," + ",".join(output.strip("'") for output in self.outputs)
        rows = zip(self.labels, self.rows, strict=True)
        return "\n".join([head, *(",".join([x.strip("'"), *(e[3:-2] for e in row)]) for x, row in rows)]) + "\n"


Case = Family | Own


def to_json(case: Case) -> str:
    """One line that ``from_json`` reads."""
    return json.dumps(asdict(case), separators=(",", ":"))


def from_json(text: str) -> Case:
    """The setting that was printed."""
    members: dict[str, Any] = json.loads(text)
    return Family(**members) if "mech" in members else Own(**members)


# ------------------------------------------------------------------ the family

MORE = {"gamma": ["1/1000000", "30", "1000"], "delta": ["1e-90", "1/2"]}
"""Values of the parameters beyond the examples that the registry declares."""


class Pick(Protocol):
    """Chooses one of the options: at random, or as hypothesis draws."""

    def __call__(self, options: Sequence[Any]) -> Any: ...


def _number(pick: Pick, special: Sequence[str], lowest: int, highest: int) -> str:
    """One of the special values, or any number of three digits with an exponent in the range."""
    return str(pick([*special, f"{pick(range(100, 1000))}e{pick(range(lowest, highest)) - 2}"]))


def _several(pick: Pick, options: Sequence[Any], count: int) -> list[Any]:
    return [pick(options) for _ in range(count)]


def family(pick: Pick) -> Family:
    """Any registered mechanism; its options come from its declared parameters."""
    name = pick(list(dpaudit.MECHANISMS))
    k = pick([2, 2, 2, 3, 3, 4])
    one = pick([True, False, False])
    first = _number(pick, PRIORS, -9, 16)
    prior = [first, *(first if one else _number(pick, PRIORS, -9, 16) for _ in range(k - 1))]
    eps = pick([pick(EPSILONS), f"{pick(range(100, 300))}e{pick(range(-20, 4)) - 2}"])
    options = {"n": str(pick(range(1, LARGEST_N[k] + 1))), "prior": ",".join(prior), "eps": eps}
    ordinary = True
    for parameter in dpaudit.MECHANISMS[name].parameters:
        options[parameter.name] = pick([*parameter.examples, *MORE.get(parameter.name, ())])
        if parameter.name == "score" and pick(range(10)) == 9:
            options["score"], ordinary = pick(["tv", "kl", "l1"]), False
    return Family(name, options, _shares(pick), pick(OCCASIONAL), ordinary)


def _shares(pick: Pick) -> list[str]:
    return sorted(set(_several(pick, SHARES, 4)), key=Fraction)


# ------------------------------------------------------------------ own mechanisms


def _weighed_row(pick: Pick, size: int) -> list[str]:
    weights = _several(pick, [0, 0, 1, 1, 2, 5, 10**9, 10**40], size)
    weights = weights if any(weights) else [1] * size
    return [f"F('{Fraction(weight, sum(weights))}')" for weight in weights]


def _rational_row(pick: Pick, size: int) -> list[str]:
    entries = [Fraction(entry[3:-2]) for entry in _several(pick, RATIONAL, size - 1)]
    return _completed(pick, [f"F('{entry}')" for entry in entries], f"F('{1 - sum(entries)}')")


def _exponential_row(pick: Pick, size: int) -> list[str]:
    powers = _several(pick, ["0", "1", "-1", "1/2", "2", "-30", "400", "-1000", "3"], size)
    total = "+".join(f"exp('{power}')" for power in powers)
    return [f"exp('{power}')/({total})" for power in powers]


def _special_row(pick: Pick, size: int) -> list[str]:
    entries = [pick(pick([SMALL, SMALL, ZEROS, ZEROS, HARD_ZEROS])) for _ in range(size - 1)]
    if pick(range(20)) == 19:
        entries[0] = pick(WRONG)
    return _completed(pick, entries, "1" + "".join(f"-({entry})" for entry in entries))


def _completed(pick: Pick, entries: list[str], rest: str) -> list[str]:
    place = pick(range(len(entries) + 1))
    return [*entries[:place], rest, *entries[place:]]


ROWS = [_weighed_row, _rational_row, _exponential_row, _special_row, _special_row]


def _rows(pick: Pick, size: int, count: int) -> list[list[str]]:
    found = [pick(ROWS)(pick, size)]
    while len(found) < count:
        how = pick(["new", "new", "new", "equal", "disguised", "turned"])
        if how == "new":
            found.append(pick(ROWS)(pick, size))
        elif how == "disguised" and not any(len(entry) > 100 for entry in found[0]):
            i, zero = pick(range(size)), pick(ZEROS)
            found.append([f"({entry})+({zero})" if j == i else entry for j, entry in enumerate(found[0])])
        else:
            found.append(found[0][1:] + found[0][:1] if how == "turned" else list(found[0]))
    return found


def _interval(pick: Pick, entry: str) -> str:
    value, width = Fraction(entry[3:-2]), Fraction(pick(["0", "1e-30", "1e-6", "1/10"]))
    return f"('{max(value - width, Fraction(0))}', '{value + width}')"


def own(pick: Pick) -> Own:
    """Two to four data sets, two to four outputs; sometimes labels that compare equal, fixed enclosures, a table."""
    size, count = pick([2, 3, 4]), pick([2, 2, 3, 4])
    style = pick(["probability", "probabilities", "probabilities", "log_weight", "interval", "table"])
    links = pick([None, None, [[i, i + 1] for i in range(count - 1)]])
    claim = pick([None, "0", "1", "F('1/2')", "3", "1000", "(1, F('1/10'))", "(0, F('1e-90'))"])
    if style == "log_weight":
        rows = [["F('0')", *_several(pick, WEIGHTS, size - 1)] for _ in range(count)]
    elif style in ("interval", "table"):
        rows = [pick([_weighed_row, _rational_row])(pick, size) for _ in range(count)]
    else:
        rows = _rows(pick, size, count)
    labels, outputs = [f"'x{i}'" for i in range(count)], [f"'r{i}'" for i in range(size)]
    made = Own(style, labels, outputs, rows, None, links, claim, _shares(pick), pick(OCCASIONAL), True)
    if style == "interval":
        fixed = [[_interval(pick, entry) for entry in row] for row in rows]
        return replace(made, style="probabilities", rows=fixed, actual=rows, ordinary=False)
    if style == "table":
        return replace(made, links=None, claim=None)
    if pick(range(12)) == 11:
        where = pick(["labels", "outputs"])
        made = replace(made, **{where: ["0", "False", "1", "True"][: len(getattr(made, where))]}, ordinary=False)
    hard = any(part in entry for row in rows for entry in row for part in (*HARD_ZEROS, *WRONG))
    return replace(made, ordinary=made.ordinary and not hard)


def any_case(pick: Pick) -> Case:
    """A setting of either kind."""
    made: Case = pick([family, own])(pick)
    return made


def random_case(seed: str) -> Case:
    """The setting of this seed: always the same, and unlike that of any other seed."""
    return any_case(Random(seed).choice)


@st.composite
def drawn_cases(draw: Any, make: Any = any_case) -> Case:
    """Settings as hypothesis draws and shrinks them."""
    made: Case = make(lambda options: draw(st.sampled_from(options)))
    return made
