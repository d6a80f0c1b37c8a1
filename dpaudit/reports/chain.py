"""The evidence chain of the worst case: claim, pair, output, both probabilities, logarithm of their ratio, verdict."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.setting import Setting
from dpaudit.audit.words import evidence_words
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.digits import beside, equated, powers
from dpaudit.numbers.enclosure import Enclosure, exact, outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import BOUNDS
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import plain, text
from dpaudit.reports.block import DIGITS, Case, Progress
from dpaudit.reports.document import Section
from dpaudit.reports.pairs import loss_rows
from dpaudit.reports.sentences import claim_words
from dpaudit.reports.shares import SIGNS, Row

LARGEST = 20_000
"""With more outputs the two probabilities are left to ``dpaudit pmf``."""
QUESTION = "What is the evidence, step by step? Every number can be checked with the commands below."


def chain(case: Case, row: Row, setting: dict[str, Any], progress: Progress) -> Section:
    """Returns the steps for the mechanism of a row of the matrix, at its witness; a step has a value or words alone."""
    progress(f"{case.label}: the evidence, step by step")
    n, guarantee = row["witness"]["n"], row["witness"]["guarantee"]
    row = {**row, "n": n, "guarantee": guarantee, "claim": None if guarantee is None else guarantee["text"]}
    steps = list(_steps(case, row))
    commands = [row["witness"]["command"], *_probabilities(case, row, steps)]
    return {
        "kind": "chain",
        "title": f"The evidence: {row['mechanism']}" + ("" if n is None else f", n = {n}"),
        "question": QUESTION,
        "command": "\n".join(filter(None, commands)),
        "setting": setting,
        "rows": steps,
        "mechanism": row["mechanism"],
        "n": n,
        "word": row["word"],
        "witness": row["witness"],
    }


def _probabilities(case: Case, row: Row, steps: list[Row]) -> list[str | None]:
    """Returns the commands that give both distributions of the pair, where their probabilities are shown."""
    if not any(link["step"] == "p" for link in steps):
        return []
    (pair,) = [link for link in steps if link["step"] == "pair"]
    setting = _setting(case, row["witness"]["n"])
    return [setting.command_line("pmf", x=pair[key], digits=DIGITS) for key in ("x", "x_prime")]


def _setting(case: Case, n: int | None) -> Setting:
    return case.setting.at(n=n) if n is not None and case.setting.has_n else case.setting


def step(name: str, label: str, words: str, value: Enclosure | dict[str, str] | None = None, **more: Any) -> Row:
    """Returns one link of the chain."""
    shown = value.to_dict() if isinstance(value, Enclosure) else value
    return {"step": name, "label": label, "words": words, "value": shown, **more}


def _steps(case: Case, row: Row) -> Iterator[Row]:
    found = row["witness"]
    setting = _setting(case, found["n"])
    mechanism, evidence = setting.mechanism, found["evidence"]
    if evidence is not None and found["epsilon"] == {"lower": "0", "upper": "inf"}:
        yield from _without_epsilon(row, evidence)
        return
    again = case.found if setting == case.setting else audit.epsilon(setting, digits=DIGITS, claim=case.guarantee)
    judged = again.claim.evidence
    witness = again.witness if evidence is None or judged is None else judged.witness
    x, x_prime = witness.x, witness.x_prime
    yield _claim(row, evidence)
    yield step("pair", "the pair", f"x = {text(x)}, x′ = {text(x_prime)}", x=plain(x), x_prime=plain(x_prime))
    if evidence is None:
        yield from _at_output(mechanism, witness, row)
    elif evidence["quantity"] == "delta":
        yield from _at_set(mechanism, x, x_prime, row)
    else:
        name, where = evidence_words(evidence["quantity"], evidence["at"], text(x), text(x_prime))
        yield step("loss", name, f"{name}, at {where}", evidence["enclosure"], shown=_number(row, evidence))
    yield step("verdict", "the verdict", _verdict(row, evidence), share=row["share"], share_of=row["share_of"])


def _without_epsilon(row: Row, evidence: dict[str, Any]) -> Iterator[Row]:
    """Yields the steps where the true epsilon is not known, and another number decided all the same."""
    x, x_prime = (str(evidence["pair"][key]) for key in ("x", "x_prime"))
    name, where = evidence_words(evidence["quantity"], evidence["at"], x, x_prime)
    yield _claim(row, evidence)
    yield step("pair", "the pair", f"x = {x}, x′ = {x_prime}")
    yield step("loss", name, f"{name}, at {where}", evidence["enclosure"], shown=_number(row, evidence))
    yield step("verdict", "the verdict", _verdict(row, evidence), share=row["share"], share_of=row["share_of"])


def _bound(row: Row, evidence: dict[str, Any] | None) -> str | None:
    """Returns the number that the quantity is compared with, as exact text."""
    guarantee = row["guarantee"]
    if guarantee is None:
        return None if row["nominal"] is None else str(row["nominal"])
    name = BOUNDS.get(evidence["quantity"] if evidence else "epsilon", "")
    return str(guarantee[name]) if name in guarantee else None


def _claim(row: Row, evidence: dict[str, Any] | None) -> Row:
    bound = _bound(row, evidence)
    words = f"{row['mechanism']} {claim_words(row)}"
    if row["claim"] is None and bound is not None:
        words += f"; its true ε is compared with its nominal ε = {powers(bound)}"
    return step("claim", "the claim", words, None if bound is None else exact(Fraction(bound), DIGITS))


def _at_output(mechanism: Mechanism, witness: Witness, row: Row) -> Iterator[Row]:
    """Yields the output, both of its probabilities, and the logarithm of the ratio: the loss, which is true epsilon."""
    found, x, x_prime = row["witness"], witness.x, witness.x_prime
    yield step("output", "the output", f"r = {text(witness.output)}", output=plain(witness.output))
    if mechanism.counts().outputs > LARGEST or found["epsilon"]["upper"] == "inf" != found["epsilon"]["lower"]:
        yield step("loss", "the loss", "ln P_x(r) / P_x′(r), at the least", found["epsilon"], shown=_number(row, None))
        return
    here, there = (audit.pmf(mechanism, x=data, digits=DIGITS) for data in (x, x_prime))
    at = here.outputs.index(witness.output)
    p, q = here.probabilities[at], there.probabilities[at]
    yield step("p", "under x", "P_x(r)", p)
    yield step("p_prime", "under x′", "P_x′(r)", q)
    words = "ln P_x(r) / P_x′(r), the largest of all pairs and outputs: the true ε"
    yield step("loss", "the loss", words, found["epsilon"], shown=_number(row, None))


def _losses(mechanism: Mechanism, x: Any, x_prime: Any) -> list[Enclosure]:
    """Returns ln P_x(r) - ln P_x'(r) at every output; where one of them is 0 it says nothing."""
    (losses,) = Effort(DIGITS).widest(mechanism, lambda e: loss_rows(mechanism, [(x, x_prime)], e))
    return losses


def _at_set(mechanism: Mechanism, x: Any, x_prime: Any, row: Row) -> Iterator[Row]:
    """Yields the set of outputs that tells the two apart beyond e^epsilon, its probabilities, and delta(epsilon)."""
    evidence = row["witness"]["evidence"]
    at, threshold = powers(evidence["at"]["epsilon"]), Fraction(evidence["at"]["epsilon"])
    name = f"δ({at}) = Σ max(0, P_x(r) − e^ε·P_x′(r)), ε = {at}, the largest of all pairs"
    if mechanism.counts().outputs <= LARGEST and mechanism.refinable:
        here, there = (audit.pmf(mechanism, x=data, digits=DIGITS) for data in (x, x_prime))
        both = list(zip(here.outputs, here.probabilities, there.probabilities, strict=True))
        losses = _losses(mechanism, x, x_prime)
        pairs = zip(both, losses, strict=True)
        chosen = [one for one, loss in pairs if one[1].upper and (not one[2].upper or loss.lower > threshold)]
        outputs = ", ".join(text(r) for r, _, _ in chosen[:5]) + (", …" if len(chosen) > 5 else "")
        counted = "the output" if len(chosen) == 1 else f"the {len(chosen)} outputs"
        words = f"S = {counted} with P_x(r) > e^ε·P_x′(r): {outputs}"
        yield step("output", "the outputs", words, outputs=len(chosen))
        for link, label, values in (
            ("p", "under x", [p for _, p, _ in chosen]),
            ("p_prime", "under x′", [q for _, _, q in chosen]),
        ):
            total = outward(sum(v.lower for v in values), sum(v.upper for v in values), DIGITS)  # type: ignore[arg-type]
            yield step(link, label, f"P_{'x' if link == 'p' else 'x′'}(S)", total)
    yield step("loss", f"δ({at})", name, evidence["enclosure"], shown=_number(row, evidence))


def _number(row: Row, evidence: dict[str, Any] | None) -> str:
    """Returns the number that decided, with digits that show the verdict on it."""
    bound, found = _bound(row, evidence), row["witness"]
    value = evidence["enclosure"] if evidence else found["epsilon"]
    return beside(value, None if bound is None else Fraction(bound), found["outcome"])


def _verdict(row: Row, evidence: dict[str, Any] | None) -> str:
    bound, outcome, value = _bound(row, evidence), row["witness"]["outcome"], _number(row, evidence)
    if bound is None or outcome is None:
        return f"{value}: {row['word']}"
    name = evidence_words(evidence["quantity"], evidence["at"], "", "")[0] if evidence else "true ε"
    compared = f"{equated(name, value)} {SIGNS[Verdict(outcome)]} {powers(bound)}"
    return f"{compared}, its nominal ε: {row['word']}" if row["claim"] is None else f"{compared}: {row['word']}"
