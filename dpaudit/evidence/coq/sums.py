"""Tables, own mechanisms and the Laplace family for Coq: probabilities that are quotients of sums of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

from dpaudit.evidence.coq.texts import WITNESS, bits_for, counted, filled, rational, remark, template, with_pieces
from dpaudit.numbers.errors import InputError

MOST = 20_000
"""The most probabilities in an exported model."""
KNOWN = "entries that can be exported are made of rationals and exp of rationals with + * / and whole powers"
QUOTIENTS = "From Coq Require Import QArith Qreals.\nFrom Coq Require RMicromega.\nOpen Scope R_scope.\n\n"
Statement = dict[str, Any]


class Unknown(Exception):
    """An entry is not a quotient of sums of exponentials of rationals."""


def assembled(name: str, statement: Statement, values: dict[str, object]) -> str:
    """The file: definitions, statement, expressions, enclosures, sums and pairs."""
    lower, upper = (Fraction(statement[end]) for end in ("lower", "upper"))
    known = {
        "UPPER_Q": rational(upper),
        "LOWER_Q": rational(lower),
        "PRECISION": bits_for(lower, upper, 64),
        "OFTEN": "",
    }
    return filled(QUOTIENTS + with_pieces(template(name) + template("sums_end")), known | values)


# ------------------------------------------------------------------ the Laplace family


def laplace(subject: dict[str, Any], statement: Statement, witness: dict[str, Any]) -> str:
    """The file for a certificate of LSZhang, LSDim or LSHist."""
    name, n, k = subject["mechanism"], subject["n"], subject["k"]
    noised = k if name == "LSZhang" else k - 1
    size = comb(n + k - 1, k - 1) * (n + 1) ** noised
    if size > MOST:
        raise InputError("n", n, f"{size} probabilities are more than the {MOST} that can be exported")
    scale = {"LSZhang": 2, "LSDim": k, "LSHist": 1 if k == 2 else 2}[name]
    epsilon, upper = Fraction(subject["nominal_epsilon"]), Fraction(statement["upper"])
    powers = [shift - m * epsilon / scale for shift in (0, upper) for m in range((n + 1) * noised + 1)]
    values: dict[str, object] = {
        **{"N": n, "K": k, "NOISED": noised, "MECHANISM": name},
        **{"EPSILON": rational(epsilon), "SCALE": rational(Fraction(scale)), "DATASET": "histogram"},
        "OFTEN": "; ".join(map(rational, dict.fromkeys(powers))),
        "ADJACENT": "one_step x y" if subject.get("adjacency") is None else "negb (same x y)",
        **counted(witness),
    }
    return assembled("laplace", statement, values)


# ------------------------------------------------------------------ tables


def table(subject: dict[str, Any], statement: Statement, witness: dict[str, Any]) -> str:
    """The file for a certificate that holds its rows: a table, or a user's own mechanism."""
    names, outputs, rows = subject["datasets"], subject["outputs"], subject["rows"]
    if len(rows) < len(names):
        raise InputError("certificate", subject["mechanism"], "it has only some of its rows, so it has no upper bound")
    if len(names) * len(outputs) > MOST:
        rule = f"{len(names)} x {len(outputs)} probabilities are more than the {MOST} that can be exported"
        raise InputError("certificate", subject["mechanism"], rule)
    pairs = subject["pairs"]
    lines, shared = [], []
    for i, row in enumerate(rows):
        entries, common = _row(row, subject["logarithmic"], f"sum_{i}")
        shared += [common] if common else []
        lines.append(f"[{'; '.join(entries)}]")
    listed = "; ".join(f"({i}, {j})" for i, j in pairs or [])
    own = (
        "existsb (fun p => (Nat.eqb (fst p) x && Nat.eqb (snd p) y) || (Nat.eqb (fst p) y && Nat.eqb (snd p) x)) pairs"
    )
    values: dict[str, object] = {
        "SHARED": "".join(shared),
        "TABLE": ";\n   ".join(lines),
        **{"ROWS": len(names), "COLUMNS": len(outputs), "DATASET": "dataset"},
        **{"DATASETS": remark(map(str, names)), "OUTPUTS": remark(map(str, outputs))},
        "LISTED": "" if pairs is None else f"Definition pairs : list (nat * nat) := [{listed}]%nat.\n",
        "ADJACENT": "negb (Nat.eqb x y)" if pairs is None else own,
        **{key: f"{place}%nat" for key, place in _places(witness, names, outputs).items()},
    }
    return assembled("table", statement, values)


def _places(witness: dict[str, Any], names: Sequence[Any], outputs: Sequence[Any]) -> dict[str, int]:
    """The indices of the witness in the table."""
    found = {}
    for name, key in WITNESS.items():
        known, value = outputs if name == "output" else names, witness.get(name)
        if value not in known:
            raise InputError("certificate", str(value)[:40], f"{name} of the witness is not in the table")
        found[key] = known.index(value)
    return found


def _row(entries: Sequence[Any], logarithmic: bool, name: str) -> tuple[list[str], str]:
    """The entries of a row, and the definition of the sum of its weights if it is given by logarithms."""
    try:
        if not logarithmic:
            return [_written(_simple(entry)) for entry in entries], ""
        weights = ["Num 0" if entry is None else f"Exp {rational(_number(_simple(entry)))}" for entry in entries]
    except Unknown as problem:
        raise InputError("certificate", str(problem), KNOWN) from None
    return [f"Div ({weight}) {name}" for weight in weights], f"Definition {name} : expr := {_added(weights)}.\n"


def _added(terms: Sequence[str]) -> str:
    """The sum of the terms, as a tree that is not deep."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return f"Add ({_added(terms[:half])}) ({_added(terms[half:])})"


Tree = tuple[str, Any, Any]
"""num q, exp q, or + * / of two trees."""


def _simple(entry: Any) -> Tree:
    """An entry of a certificate as a tree; rationals and exponentials of rationals are folded."""
    if not isinstance(entry, list):
        return "num", Fraction(str(entry)), None
    name, *arguments = entry
    if name in ("+", "*", "/") and len(arguments) >= 1:
        found = _simple(arguments[0])
        for argument in arguments[1:]:
            found = _folded(name, found, _simple(argument))
        return found
    if name == "exp" and len(arguments) == 1:
        power = _number(_simple(arguments[0]))
        return ("exp", power, None) if power else ("num", Fraction(1), None)
    if name == "^" and len(arguments) == 2:
        return _power(_simple(arguments[0]), _number(_simple(arguments[1])))
    raise Unknown(str(name)[:40])


def _number(tree: Tree) -> Fraction:
    if tree[0] != "num":
        raise Unknown("exp or a power of what is not rational")
    return Fraction(tree[1])


def _folded(name: str, a: Tree, b: Tree) -> Tree:
    """The sum, product or quotient of two trees."""
    if a[0] == b[0] == "num" and (name != "/" or b[1]):
        return "num", {"+": a[1] + b[1], "*": a[1] * b[1]}[name] if name != "/" else a[1] / b[1], None
    if a[0] == b[0] == "exp" and name != "+":
        return "exp", a[1] + b[1] if name == "*" else a[1] - b[1], None
    if ("num", 1) in ((b[:2],) if name == "/" else (a[:2], b[:2]) if name == "*" else ()):
        return b if a[:2] == ("num", 1) and name == "*" else a
    return name, a, b


def _power(tree: Tree, exponent: Fraction) -> Tree:
    if exponent.denominator != 1 or abs(exponent) > 1000:
        raise Unknown(f"a power {exponent}")
    if tree[0] == "exp":
        return ("exp", tree[1] * exponent, None) if exponent else ("num", Fraction(1), None)
    if tree[0] == "num" and (tree[1] or exponent >= 0):
        return "num", tree[1] ** int(exponent), None
    found: Tree = ("num", Fraction(1), None)
    for _ in range(abs(int(exponent))):
        found = _folded("*", found, tree)
    return found if exponent >= 0 else _folded("/", ("num", Fraction(1), None), found)


def _written(tree: Tree) -> str:
    """The tree as Coq writes it."""
    name, a, b = tree
    if name in ("num", "exp"):
        return f"{name.capitalize()} {rational(a)}"
    return f"{ {'+': 'Add', '*': 'Mul', '/': 'Div'}[name] } ({_written(a)}) ({_written(b)})"
