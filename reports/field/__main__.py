"""python -m reports.field: computes the standard suite and writes result.json and README.md beside this file."""

import json
from pathlib import Path

from dpaudit.noise.suite.at_c import C
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.rationals import rational
from dpaudit.studies.suite.run import document, suite

HERE = Path(__file__).parent
COMMAND = "python -m reports.field"


def shown(ends, digits=15):
    """An enclosure of the JSON for people."""
    if ends is None:
        return "–"
    if ends["lower"] == "inf":
        return "∞"
    found = outward(*(rational("end", ends[name]) for name in ("lower", "upper")), 20)
    return str(found.shortened(digits))


def compared(row):
    """Where the published figures lie: above the true value, or below what an event of probability c shows."""
    words = []
    upper = None if row["epsilon"]["upper"] == "inf" else rational("end", row["epsilon"]["upper"])
    at_c = row["at_c"]["epsilon"]
    for tool, figure in row["published"].items():
        if figure in ("–", "∞"):
            continue
        value = rational("published", figure)
        if upper is not None and value > upper:
            words.append(f"{tool} overshoots by {float(value - upper):.2g}")
        elif at_c is not None and value < rational("end", at_c["lower"]):
            words.append(f"{tool} falls short of what c allows by {float(rational('end', at_c['lower']) - value):.2g}")
        else:
            words.append(f"{tool} lies between the value at c and the truth")
    return "; ".join(words) or "–"


def page(rows):
    """The Markdown page."""
    refuted = [row["name"] for row in rows if row["verdict"] == "REFUTED"]
    every = [row for row in rows if row["every_epsilon"]["verdict"] is not None]
    lines = [
        "# The standard suite, with exact answers",
        "",
        f"**✗ REFUTED.** {len(refuted)} of {len(rows)} mechanisms lose more than they claim on the suite's pairs: "
        f"{', '.join(refuted)}.",
        "",
        "These are the mechanisms that StatDP, DP-Sniper and others estimate by sampling, with ε = 1/10 unless the "
        "definition says otherwise. Every number below is computed from the laws of ideal code, not sampled: in closed "
        "form, or enclosed between two decimals that differ in the last digit shown.",
        "",
        f"`dpaudit suite` computes the table again, and `{COMMAND}` this page.",
        "",
        "## True ε over the suite's pairs",
        "",
        f"*At c* is the largest ln P(S)/Q(S) over events (and randomized tests) whose probability is at least {C} "
        "under both inputs: one point of the trade-off curve, and the most that a tool can see if it ignores rarer "
        "events. *All inputs* is the supremum over all real query vectors that differ by at most 1 in every entry (in "
        "one entry for NoisyHist), [with its proof](../../dpaudit/noise/suite/ALL_INPUTS.md).",
        "",
        "| mechanism | true ε | closed form | claimed | verdict | at c | all inputs | StatDP | DP-Sniper |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        form = row["closed_form"] or "–"
        form = form if len(form) <= 48 else "in result.json"
        none = "∞" if row["epsilon"]["lower"] == "inf" else "–"
        over = none if row["all_inputs"] is None else row["all_inputs"]["epsilon"]
        limit = "" if row["all_inputs"] is None or row["all_inputs"]["attained"] else " (limit)"
        figures = [row["published"][name] for name in ("StatDP", "DP-Sniper")]
        cells = [row["name"], shown(row["epsilon"]), form, row["claimed"], row["verdict"]]
        lines.append(f"| {' | '.join([*cells, shown(row['at_c']['epsilon'], 7), over + limit, *figures])} |")
    lines += ["", "## How close the published figures are", "", "| mechanism | published against exact |", "|---|---|"]
    lines += [f"| {row['name']} | {compared(row)} |" for row in rows if compared(row) != "–"]
    lines += [
        "",
        "A sampling tool that ignores events below probability 0.01 cannot exceed the value at c by more than its own "
        "error; if the true ε is attained on rarer events (SVT3, SVT6, PrefixSum, NoisyHist2), its figure says "
        "little about the mechanism. Figures above the true value are statistical errors.",
        "",
        "## Worst pairs, worst outputs, definitions",
        "",
        "| mechanism | x | x′ | output | definition |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        worst = row["worst"]
        output = worst["output"] if len(worst["output"]) <= 70 else worst["output"][:67] + "…"
        infinite = row["delta_at_infinity"]
        more = f" δ(∞) = {shown(infinite, 8)}." if infinite is not None else ""
        note = f" {row['note']}" if row["note"] else ""
        lines.append(
            f"| {row['name']} | {_vector(worst['x'])} | {_vector(worst['x_prime'])} | {output.replace('|', '/')} | "
            f"{row['definition']}{note}{more} |"
        )
    lines += [
        "",
        "## For every ε > 0",
        "",
        "| mechanism | ε-DP for every ε, on the suite's pairs | where it fails, or why not decided |",
        "|---|---|---|",
    ]
    for row in every:
        kind = "exponentials and powers of ε" if row["every_epsilon"]["powers"] else "a polynomial in e^(−ε/s)"
        where = row["every_epsilon"]["where"] or f"the law consists of {kind}; the sign is proved on (0, ∞)"
        lines.append(f"| {row['name']} | {row['every_epsilon']['verdict']} | {where} |")
    others = [(row["name"], row["every_epsilon"]["undecided_because"]) for row in rows if row not in every]
    lines += [f"| {name} | – | {because} |" for name, because in others]
    lines += [
        "",
        "## What the definitions leave open",
        "",
        f"- *At c*: the smaller of the two probabilities is at least {C}.",
        "- *Rappor's hash*: MurmurHash3 with seeds 0 to 3, as DP-Sniper codes it; 6 bits differ between 1 and 0.",
        "- *NumericalSVT*: Wang and others 2019, with fresh noise of scale 3c/ε, as DP-Sniper codes it.",
        *(
            f"- *{row['name']}*: no value at c: {row['at_c']['missing_because']}."
            for row in rows
            if row["at_c"]["missing_because"] is not None
        ),
        "",
    ]
    return "\n".join(lines)


def _vector(value):
    return "(" + ", ".join(map(str, value)) + ")" if isinstance(value, list) else str(value)


def written(rows):
    """File name -> text."""
    kept = [{name: value for name, value in row.items() if name != "seconds"} for row in rows]
    return {"result.json": json.dumps({"rows": kept}, ensure_ascii=False, indent=1) + "\n", "README.md": page(kept)}


def main():
    """Computes and writes."""
    for name, text in written(document(suite())["rows"]).items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
