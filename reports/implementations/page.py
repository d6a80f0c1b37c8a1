"""The page of the audits of installed libraries, README.md, from the rows of result.json."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from fractions import Fraction
from typing import Any

HARMLESS = Fraction(1, 10**12)
PART = Fraction(1, 10**5)
"""Where the δ at the nominal ε exceeds the nominal δ by at most this, or this part of it, it is called harmless."""

HEAD = """# What installed libraries really do

The classes of the libraries were run as they are installed; dpaudit computed the exact law of their code, 53-bit draws,
roundings and crashes included. No line of a library is copied here: `mechanisms.py` and `tumult.py` make the
library's object and call it ([how](../../docs/code.md)). `python -m reports.implementations` computes all of it anew.

**In short.** Most of the claims "ε-DP" are false to the letter and harmless in practice: at ε = 1 and 1/10 what
goes beyond a nominal ε has a δ of at most {most}. At ε = 40 a float of 53 bits has no room for the rare outputs,
and nothing is random any more; 40-DP protects nobody on paper either, but it is not what is delivered.

| library, class | nominal | true ε | δ at the nominal ε | holes | crashes | not followed | beyond the nominal |
|---|---|---|---|---|---|---|---|
"""

TAIL = """
Read as: the code is (nominal ε, δ)-DP with this δ and no smaller one. "Harmless" is said where δ exceeds the nominal
δ by at most 10⁻¹² (one release in 10¹² at worst), or by a 10⁻⁵th part of it. That is a judgement, the numbers are
not. A true ε of ∞ says that some output is possible for one data set and impossible for its neighbour: a hole (how
many for the worst pair, and their probability). "Not followed" is the probability of what was not followed (endless
tails); it is contained in every bound, and where it is not 0, the holes cannot be counted.

What the numbers show:

- **Binary, GeometricTruncated**: thresholds are rounded; the true ε is above the nominal one by 10⁻¹⁵ to 10⁻¹⁴.
- **Geometric**: |u − 1/2| is 0 or at least 2⁻⁵³, so the noise ends near 36/ε. Out there the probabilities are small
  multiples of 2⁻⁵³, some of them 0: holes. u = 1/2 gives log 0 and then an `OverflowError`. Truncation and folding
  keep the crash, and hide the holes.
- **GeometricFolded, Exponential**: the true ε is below the nominal one because of folding, and because of the data
  sets of this audit (counts 0 … 5; three scores of 0 … 2), not because of the floats.
- **PermuteAndFlip**: the best candidate is accepted with probability 1 − 2⁻⁵³ instead of 1 (`random() <= 0` is
  possible). When it is refused, and all others too, there is a `RuntimeError`; it is far likelier when one candidate
  is ahead than when all are equal, which is the large true ε. That needs a coin that falls once in 10¹⁶ times.
- **GaussianDiscrete** (δ = 10⁻⁶; Coarse: the same with δ = 1/100): the scale is found by bisection to 6 digits, and
  the middle of the last interval is taken, not its safe end: the true δ lies on either side of the nominal one, by
  about a 10⁻⁶th part of it. Rounding up would cost nothing. At (1/10, 10⁻⁶) σ is 36 and there are hundreds of
  outputs; each may have all of what is not followed, so δ is known less closely there.
- **Not in the table, and not harmless to users**: GeometricFolded folds by recursion, two calls for each reflection.
  Where the noise is much wider than the range, Python's limit of 1000 calls is met: `GeometricFolded(epsilon=0.01,
  lower=0, upper=1)` raised `RecursionError` in 675 of 100 000 plain runs. dpaudit refuses it ("its code recurses
  without end"): its own calls would move the limit. The exception depends on the noisy count alone, so it costs no
  privacy beyond that of Geometric.
- **Tumult Core**: whole numbers and fractions only; what is not proved is the tail that was not followed.

The data sets: counts with neighbours at distance 1; for the selection mechanisms all scores in {0, 1, 2}³, where a
neighbour moves each by at most 1, sensitivity 1. Run with %(versions)s; another version of numpy, with
another log, may differ in the last places.

Assumed, in which rows:

%(assumptions)s

## To see each

    pip install "dpaudit[implementations]"
%(commands)s

The rows of Tumult Core need `pip install --no-deps tmlt.core` and, for Python 3.11, `typeguard "pandas<2" "numpy<2"
randomgen` (its other requirement, Spark, is not used by the samplers).

## What was not audited

- **Tumult Core's discrete Gaussian** (`sample_dgauss`, wrapped by `@typechecked`): its audit was not brought to an
  end. At variance 1 with a residual of 10⁻⁶ it had no answer after 200 seconds on a busy machine; why is not known.
- **SmartNoise** (`smartnoise-sql`) draws its noise in OpenDP, which is compiled: there is no Python code to follow.
  The same holds for OpenDP itself. Their outputs can be tested from samples: `dpaudit samples`.
- diffprivlib's continuous mechanisms (Laplace, Gaussian, Staircase, Uniform, Snapping) release floats: too many
  outputs.
"""


def short(value: str, digits: int = 3, rounding: str = ROUND_CEILING) -> str:
    """Returns a decimal in so many digits, rounded up or as asked."""
    found = Context(digits, rounding).create_decimal(value)
    return "0" if not found else f"{found.normalize():g}"


def true_epsilon(row: dict[str, Any]) -> str:
    """Returns the true ε, as its distance from the nominal one where that is tiny."""
    lower, upper = row["epsilon"]["lower"], row["epsilon"]["upper"]
    if lower == "inf":
        return "∞"
    if upper == "inf":
        return f"≥ {short(lower, 6, ROUND_FLOOR)}"
    beyond = Fraction(lower) - Fraction(row["nominal_epsilon"])
    if 0 < beyond < HARMLESS:
        return f"{row['nominal_epsilon']} + {float(beyond):.2g}"
    return short(lower, 6, ROUND_HALF_EVEN)


def delta(row: dict[str, Any]) -> str:
    """Returns δ at the nominal ε: in 8 digits, or from .. to where they are not known, or its bound."""
    lower, upper = row["delta"]["lower"], row["delta"]["upper"]
    if Fraction(lower) == 0 != Fraction(upper):
        return f"≤ {short(upper)}"
    near = {short(lower, 8, ROUND_HALF_EVEN), short(upper, 8, ROUND_HALF_EVEN)}
    return near.pop() if len(near) == 1 else f"{short(lower, 8, ROUND_FLOOR)} … {short(upper, 8)}"


def judged(row: dict[str, Any]) -> str:
    """Returns what the numbers mean to a user."""
    nominal = Fraction(row["nominal_delta"])
    least, most = (Fraction(row["delta"][end]) - nominal for end in ("lower", "upper"))
    if row["verdict"] == "PROVED":
        return "nothing: PROVED"
    if most <= max(HARMLESS, nominal * PART):
        return "harmless"
    return "not decided: too much is not followed" if least <= 0 else "**not harmless**"


def cells(row: dict[str, Any]) -> list[str]:
    """Returns the columns of a row."""
    claimed = Fraction(row["nominal_delta"])
    nominal = row["nominal_epsilon"] + (f", δ = {float(claimed):.0e}" if claimed else "")
    holes = "?" if row["holes"] is None else f"{row['holes']}, {row['hole_probability']}" if row["holes"] else "none"
    crashes = ", ".join(f"{name.removeprefix('raises ')} {p}" for name, p in row["crashes"].items()) or "none"
    return [
        f"{row['library']}, {row['class']}",
        nominal,
        true_epsilon(row),
        delta(row),
        holes,
        crashes,
        short(row["residual"]),
        judged(row),
    ]


def assumed(rows: list[dict[str, Any]]) -> str:
    """Returns a line for each assumption, with the classes whose law rests on it."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for said in row["assumptions"]:
            found.setdefault(said, {})[row["class"]] = None
    everybody = {row["class"] for row in rows}
    return "\n".join(f"- {said}: {'all' if set(who) == everybody else ', '.join(who)}" for said, who in found.items())


def page(rows: list[dict[str, Any]]) -> str:
    """Returns the text of README.md."""
    usual = [row["delta"]["upper"] for row in rows if row["nominal_epsilon"] != "40" and row["nominal_delta"] == "0"]
    table = "\n".join(f"| {' | '.join(cells(row))} |" for row in rows)
    commands = "\n".join(f"    {command}" for row in rows for command in row["commands"])
    versions = {f"{r['library']} on Python {r['versions']['python']}, numpy {r['versions']['numpy']}": 0 for r in rows}
    most = short(max(usual, key=Fraction), 2)
    return (
        HEAD.format(most=most)
        + table
        + "\n"
        + TAIL % {"commands": commands, "assumptions": assumed(rows), "versions": "; ".join(versions)}
    )
