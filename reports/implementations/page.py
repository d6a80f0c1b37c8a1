"""The page of the audits of installed libraries, README.md, from the rows of result.json."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from fractions import Fraction
from typing import Any

from reports.implementations.words import COMMANDS, HEAD, MEANING, OLD, TAIL, WHY

HARMLESS = Fraction(1, 10**12)
PART = Fraction(1, 10**5)
"""Where the δ at the nominal ε exceeds the nominal δ by at most this, or this part of it, it is called harmless."""
PROVED, MILD, OPEN, FAILS = "nothing: PROVED", "harmless", "not decided: too much is not followed", "**not harmless**"
USUAL = 4
"""A nominal ε above this protects nobody on paper; its rows come last."""

Row = dict[str, Any]


def short(value: str, digits: int = 3, rounding: str = ROUND_CEILING) -> str:
    """Returns a decimal in so many digits, rounded up or as asked."""
    found = Context(digits, rounding).create_decimal(value)
    return "0" if not found else f"{found.normalize():g}"


def true_epsilon(row: Row) -> str:
    """Returns the true ε, as its distance from the nominal one where that is tiny."""
    lower, upper = row["epsilon"]["lower"], row["epsilon"]["upper"]
    if lower == "inf":
        return "∞"
    if upper == "inf":
        return f"≥ {short(lower, 6, ROUND_FLOOR)}"
    beyond = Fraction(lower) - Fraction(row["nominal_epsilon"])
    if 0 < abs(beyond) < HARMLESS:
        return f"{row['nominal_epsilon']} {'+' if beyond > 0 else '−'} {float(abs(beyond)):.2g}"
    return short(lower, 6, ROUND_HALF_EVEN)


def delta(row: Row, digits: int = 8) -> str:
    """Returns δ at the nominal ε: in so many digits, or from .. to where they are not known, or its bound."""
    lower, upper = row["delta"]["lower"], row["delta"]["upper"]
    if Fraction(lower) == 0 != Fraction(upper):
        return f"≤ {short(upper)}"
    near = {short(lower, digits, ROUND_HALF_EVEN), short(upper, digits, ROUND_HALF_EVEN)}
    return near.pop() if len(near) == 1 else f"{short(lower, digits, ROUND_FLOOR)} … {short(upper, digits)}"


def judged(row: Row) -> str:
    """Returns what the numbers mean to a user."""
    nominal = Fraction(row["nominal_delta"])
    least, most = (Fraction(row["delta"][end]) - nominal for end in ("lower", "upper"))
    allowed = max(HARMLESS, nominal * PART)
    if row["verdict"] == "PROVED":
        return PROVED
    if most <= allowed:
        return MILD
    return FAILS if least > allowed else OPEN


def nominal(row: Row) -> str:
    """Returns the nominal ε, with δ where there is one."""
    claimed = Fraction(row["nominal_delta"])
    return str(row["nominal_epsilon"]) + (f", δ = {float(claimed):.0e}" if claimed else "")


def cells(row: Row) -> list[str]:
    """Returns the columns of a row of the long table."""
    holes = "?" if row["holes"] is None else f"{row['holes']}, {row['hole_probability']}" if row["holes"] else "none"
    crashes = ", ".join(f"{name.removeprefix('raises ')} {p}" for name, p in row["crashes"].items()) or "none"
    return [
        f"{row['library']}, {row['class']}",
        nominal(row),
        true_epsilon(row),
        delta(row),
        holes,
        crashes,
        short(row["residual"]),
        judged(row),
    ]


def groups(rows: list[Row]) -> dict[tuple[str, str, bool], list[Row]]:
    """Returns the rows of each library and class; those of a large nominal ε apart."""
    found: dict[tuple[str, str, bool], list[Row]] = {}
    for row in rows:
        far = Fraction(row["nominal_epsilon"]) > USUAL
        found.setdefault((row["library"], row["class"], far), []).append(row)
    return found


def worst(rows: list[Row]) -> str:
    """Returns the judgement of the worst of the rows."""
    return min((judged(row) for row in rows), key=[FAILS, OPEN, MILD, PROVED].index)


def why(library: str, name: str, far: bool) -> str:
    """Returns the reason why a class fails, in some words; empty where none was written down."""
    reason = next((text for start, text in WHY.items() if f"{library}, {name}".startswith(start)), "")
    return f": {WHY['far'] if far else reason}" if far or reason else ""


def summary(rows: list[Row]) -> list[list[str]]:
    """Returns the short table: a line for every class that fails or is open, worst first, then one for each library."""
    found = groups(rows)
    bad = [key for key in found if worst(found[key]) in (FAILS, OPEN)]
    bad.sort(key=lambda key: (key[2], -max(Fraction(row["delta"]["upper"]) for row in found[key])))
    lines = []
    for library, name, far in bad:
        here = found[library, name, far]
        columns = ["; ".join(column(row) for row in here) for column in (nominal, true_epsilon, lambda r: delta(r, 2))]
        lines.append([library, name, *columns, worst(here) + why(library, name, far)])
    for library in dict.fromkeys(row["library"] for row in rows):
        good = [row for key in found if key[0] == library and key not in bad for row in found[key]]
        names = dict.fromkeys(row["class"] for row in good)
        if good:
            others = "the other" if any(key[0] == library and not key[2] for key in bad) else "all"
            lines.append([library, f"{others} {len(names)}", spread(good), "", "; ".join(most(good)), worst(good)])
    return lines


def most(rows: list[Row]) -> list[str]:
    """Returns the largest δ where none is nominal, and the largest part by which a nominal δ is exceeded."""
    found: list[list[Fraction]] = [[], []]
    for row in rows:
        claimed, upper = Fraction(row["nominal_delta"]), Fraction(row["delta"]["upper"])
        found[claimed > 0].append((upper - claimed) / claimed if claimed else upper)
    least, part = (short(f"{float(max([Fraction(0), *here])):.17e}", 2) for here in found)
    alone = [f"at most {least}" if least != "0" else "0"] if found[0] else []
    return alone + (
        ["at most the nominal one" if part == "0" else f"above a nominal δ by {part} of it"] if found[1] else []
    )


def spread(rows: list[Row]) -> str:
    """Returns the nominal values of ε."""
    return "; ".join(sorted({row["nominal_epsilon"] for row in rows}, key=Fraction, reverse=True))


def table(lines: list[list[str]]) -> str:
    """Returns the lines of a table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def assumed(rows: list[Row]) -> str:
    """Returns a line for each assumption, with the classes whose law rests on it."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for said in row["assumptions"]:
            found.setdefault(said, {})[row["class"]] = None
    everybody = {row["class"] for row in rows}
    return "\n".join(f"- {said}: {'all' if set(who) == everybody else ', '.join(who)}" for said, who in found.items())


def commands(rows: list[Row]) -> str:
    """Returns what to type for every row, library by library."""
    parts = []
    for library in dict.fromkeys(row["library"] for row in rows):
        typed = [f"    {line}" for row in rows if row["library"] == library for line in row["commands"]]
        parts.append("\n".join([f"{library}: {COMMANDS[library]}", "", *typed]))
    return "\n\n".join(parts)


def page(rows: list[Row]) -> str:
    """Returns the text of README.md."""
    usual = [row for row in rows if Fraction(row["nominal_epsilon"]) <= USUAL]
    classes = {(row["library"], row["class"]) for row in rows}
    failing = [key[0] for key, here in groups(usual).items() if worst(here) == FAILS]
    old = sum(library in OLD for library in failing)
    versions = {f"{r['library']} on Python {r['versions']['python']}, numpy {r['versions']['numpy']}": 0 for r in rows}
    return "\n".join(
        [
            HEAD.format(
                classes=len(classes),
                failing=len(failing) - old,
                old=old,
                most=", or ".join(most([r for r in usual if judged(r) not in (FAILS, OPEN)])),
                table=table(summary(rows)),
            ),
            MEANING,
            table([cells(row) for row in rows]),
            TAIL.format(assumptions=assumed(rows), versions="; ".join(versions), commands=commands(rows)),
        ]
    )
