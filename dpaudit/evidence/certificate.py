"""Certificates: a result as a JSON file that anyone can check independently with ``dpaudit verify``.

It holds the inputs as exact rationals, the law in dyadic enclosures (``law``), the statement, the witness, how it
was made and a hash of its own content. For a user's own mechanism it holds the exact distributions as well.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.audit.account import AccountResult
from dpaudit.audit.results import DeltaResult, EpsilonResult, GuaranteeResult
from dpaudit.audit.setting import Setting
from dpaudit.evidence import composition, covers
from dpaudit.evidence.law import enclosed_law
from dpaudit.evidence.verifier.arithmetic import Malformed, Undecided
from dpaudit.evidence.verifier.core import Rejected, Unconfirmed
from dpaudit.evidence.verifier.main import kind_of
from dpaudit.evidence.verifier.reading import DIGITS, FORMAT, VERSION, digest
from dpaudit.evidence.verifier.subject import FAMILY
from dpaudit.evidence.verifier.table import is_family_name
from dpaudit.files.writing import write_file
from dpaudit.forall.ranged import Ranged
from dpaudit.mechanisms.base import Mechanism
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.adjacency import ALL_PAIRS, REPLACE_ONE
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.protocols import Dataset, plain, text
from dpaudit.version import __version__

MAX_ENTRIES = 200_000
"""The most probabilities in a certificate; for a larger law it holds the two rows of the witness, and says so."""
MAX_ROW = 200_000
"""The most outputs of a law: the two rows of the witness are written out."""
MAX_PLACES = DIGITS - 50
"""The most decimals of an end of an enclosure."""

Result = EpsilonResult | DeltaResult | GuaranteeResult | covers.TheoremResult | AccountResult


class NotAccepted(InputError):
    """The verifier does not accept the certificate: it is beyond its limits."""

    def __init__(self, mechanism: Mechanism, problem: Exception) -> None:
        reason = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        super().__init__("certificate", mechanism.name, f"the verifier could not accept it: {reason}")


class Contradicted(NotAccepted):
    """The verifier finds the result wrong: either it or the engine has a bug."""


def certificate(result: Result) -> dict[str, Any]:
    """The certificate of one result, ready for JSON."""
    if isinstance(result, AccountResult):
        return account_certificate(result)
    if isinstance(result, covers.TheoremResult):
        document = _complete(covers.document(result), result.precision_bits)
        try:
            kind_of(document)(document, False)
        except (Malformed, Rejected) as problem:
            raise NotAccepted(result.subject.mechanism, problem) from None
        return document
    mechanism = result.subject.mechanism
    if not mechanism.tabular:
        rule = f"{mechanism.name} releases real numbers; a certificate needs a table of finitely many outputs"
        raise InputError("certificate", "(not written)", rule)
    evidence = _evidence(result)
    claimed = result.claim.guarantee
    if not isinstance(result, GuaranteeResult) and claimed is not None and claimed.epsilon_delta() is None:
        rule = f"{mechanism.name} claims {claimed.text()}, which this would leave out: take dpaudit judge --certificate"
        raise InputError("certificate", "(not written)", rule)
    check_possible(mechanism)
    counts = mechanism.counts()
    covers_all = counts.datasets * counts.outputs <= MAX_ENTRIES
    held = _ordered(mechanism, mechanism.datasets()) if covers_all else [evidence.witness.x, evidence.witness.x_prime]
    document = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "law",
        "subject": _subject(mechanism, held),
        "statement": _statement(result.claim, evidence),
        "witness": _witness(mechanism, evidence),
    }
    least, own = _bits_for(document["statement"]), result.claim.verdict
    for factor in (1, 2, 4, 8):
        bits = factor * least
        document["law"] = enclosed_law(mechanism, held, _ordered(mechanism, mechanism.outputs()), bits, covers_all)
        found = _complete(document, evidence.bits)
        try:
            stated = kind_of(found)(found, False).check()[1]["verdict"]
        except (Malformed, RecursionError) as problem:
            raise NotAccepted(mechanism, problem) from None
        except Unconfirmed as problem:
            if factor == 8:
                raise NotAccepted(mechanism, problem) from None
            continue
        except Rejected as problem:
            raise Contradicted(mechanism, problem) from None
        verdict = None if stated is None else Verdict(stated)
        if {verdict, own} == {Verdict.PROVED, Verdict.REFUTED}:
            raise Contradicted(mechanism, Rejected(f"its verdict is {verdict}, not {own}"))
        if verdict is not Verdict.UNDECIDED or own is Verdict.UNDECIDED or factor == 8:
            return found
    raise AssertionError("unreachable")


def account_certificate(result: AccountResult) -> dict[str, Any]:
    """The certificate of an account, one part for each number, each accepted by the verifier first."""
    composition.check_possible(result.events)
    parts = []
    for document in composition.documents(result):
        found = _complete({"format": FORMAT, "version": VERSION, **document}, composition.BITS)
        try:
            kind_of(found)(found, True).check()
        except (Malformed, Undecided, Rejected) as problem:
            rule = f"the verifier could not accept it: {problem or 'the stated numbers are too close to be separated'}"
            raise InputError("certificate", "(not written)", rule) from None
        parts.append(found)
    return parts[0] if len(parts) == 1 else _bundle(parts)


def _bits_for(statement: dict[str, Any]) -> int:
    """Bits that tell the stated numbers from what lies beside them: by their digits, and by how small they are.

    Sixteen more than the digits have: the writer doubles them where the verifier cannot decide at the witness.
    """
    texts = [text for text in statement.values() if isinstance(text, str)]
    numbers = [Fraction(text) for text in texts if text[:1].isdigit()]
    small = (n.denominator.bit_length() - n.numerator.bit_length() for n in numbers if n)
    return max(64, 16 + 10 * max(map(len, texts)) // 3) + max(0, *small, 0)


def _ordered(mechanism: Mechanism, items: Iterable[Any]) -> list[Any]:
    """Data sets or outputs in the order of the certificate: histograms sorted, others as the mechanism lists them."""
    return sorted(items) if mechanism.exact_rows([]) is None else list(items)


def _complete(document: dict[str, Any], bits: int) -> dict[str, Any]:
    """The document with how it was made, and its hash."""
    from importlib.metadata import version

    tools = f"dpaudit {__version__}, python-flint {version('python-flint')}, Python {platform.python_version()}"
    found = {**document, "made": f"{tools}; balls of {bits} bits (FLINT/Arb), rounded outward"}
    return {**found, "sha256": digest(found)}


def _evidence(result: EpsilonResult | DeltaResult | GuaranteeResult) -> Evidence:
    """What was measured: by an audit of epsilon or delta that value, by a judgement what decides it."""
    if isinstance(result, GuaranteeResult):
        if result.evidence is None:
            raise InputError("certificate", "UNDECIDED", "nothing could be measured, so there is nothing to certify")
        return result.evidence
    if isinstance(result, EpsilonResult):
        if result.epsilon.is_open:
            rule = "of the true epsilon only a lower bound is known: take dpaudit delta --at … --certificate"
            raise InputError("certificate", "(not written)", rule)
        return Evidence("epsilon", result.epsilon, result.witness, bits=result.precision_bits)
    return Evidence("delta", result.delta, result.witness, {"epsilon": str(result.at)}, result.precision_bits)


def _statement(claim: Claim, evidence: Evidence) -> dict[str, Any]:
    value = readable(evidence.value)
    if evidence.quantity == "trade-off":  # the largest f(alpha) - beta, so that every value is larger where it is worse
        value = Enclosure(-value.upper, -value.lower, value.places)
    bounds = {"quantity": evidence.quantity, **value.to_dict()}
    judged = claim.to_dict()
    if evidence.quantity not in ("epsilon", "delta"):
        return {**bounds, "guarantee": judged["guarantee"]}
    at = {"at": evidence.at["epsilon"]} if evidence.quantity == "delta" else {}
    return {**bounds, **at, "claimed": judged["claimed"], "claimed_delta": judged["claimed_delta"]}


def bundle(results: Sequence[Result]) -> dict[str, Any]:
    """One certificate with several parts, each with its own statement."""
    return _bundle([certificate(result) for result in results])


def _bundle(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    document = {"format": FORMAT, "version": VERSION, "parts": list(parts)}
    return {**document, "sha256": digest(document)}


def write(result: Result | Sequence[Result], path: str) -> None:
    """Writes the certificate of a result, or of several results, to a file."""
    document = certificate(result) if isinstance(result, Result) else bundle(result)
    write_file("certificate", path, layout(document) + "\n")


def layout(document: dict[str, Any]) -> str:
    """The JSON text with a line for each member, each row and each part."""

    def lines(name: str, value: Any) -> str:
        if name == "parts":
            return "[" + ",\n".join(map(layout, value)) + "]"
        if name == "law":
            rows = ",\n  ".join(json.dumps(row, separators=(",", ":")) for row in value["rows"])
            return f'{{"covers": {json.dumps(value["covers"])}, "rows": [\n  {rows}]}}'
        return json.dumps(value, ensure_ascii=False)

    return "{" + ",\n ".join(f"{json.dumps(name)}: {lines(name, value)}" for name, value in document.items()) + "}"


def check_possible(subject: Mechanism | Setting | Ranged) -> None:
    """Refuses what the verifier cannot check, before any work is done."""
    if isinstance(subject, Ranged):
        covers.check_possible(subject)
    mechanism = subject if isinstance(subject, Mechanism) else subject.mechanism
    if mechanism.exact_rows([]) is not None:
        if not mechanism.tabular:
            rule = f"{mechanism.name} has no table of probabilities, which is what the verifier checks; no certificate"
            raise InputError("certificate", "(not written)", rule)
        if is_family_name(mechanism.name):
            rule = "this is the name of a mechanism of the family; a certificate of another one must not carry it"
            raise InputError("mech", mechanism.name, rule)
        return
    if mechanism.name not in FAMILY:
        rule = f"there is no independent verifier for {mechanism.name}, so no certificate"
        raise InputError("mech", mechanism.name, rule)
    outputs = mechanism.counts().outputs
    if mechanism.screen() is not None and outputs > MAX_ROW:
        rule = f"a certificate needs whole rows, and these have {outputs} outputs; at most {MAX_ROW} are possible"
        raise InputError("certificate", mechanism.name, rule)
    for name, value in mechanism.settings().items():
        if name not in FAMILY[mechanism.name]:
            rule = f"there is no independent verifier for this {name} of {mechanism.name}, so no certificate"
            raise InputError(name, value, rule)
    if mechanism.adjacency not in (REPLACE_ONE, ALL_PAIRS):
        rule = f"there is no independent verifier for this adjacency of {mechanism.name}, so no certificate"
        raise InputError("adjacency", mechanism.adjacency.text(), rule)


def _subject(mechanism: Mechanism, held: Sequence[Dataset]) -> dict[str, Any]:
    exact = mechanism.exact_rows(held)
    if exact is None:
        return mechanism.describe()
    datasets, outputs = list(mechanism.datasets()), list(mechanism.outputs())
    left_out = ("adjacency", "assumptions", "residual", "notes")
    described = {name: value for name, value in mechanism.describe().items() if name not in left_out}
    described |= {"source": described["source"] + _rests_on(mechanism)} if mechanism.caveats() else {}
    return {
        **described,
        "datasets": [text(x) for x in datasets],
        "outputs": [text(output) for output in outputs],
        "pairs": _pairs(mechanism, datasets),
        "logarithmic": exact.logarithmic,
        "rows": [list(row) for row in exact.rows],
    }


def _rests_on(mechanism: Mechanism) -> str:
    """What the table rests on where it is the law of a user's code, and for whom its data sets stand."""
    found = mechanism.caveats()
    if "assumptions" not in found:
        return f" ({'; '.join(found['notes'])})"
    assumed = f"assumed: {'; '.join(found['assumptions'])}"
    said = [f"not followed: at most {found['residual']}", assumed, *found.get("notes", ())]
    return f" (the law of its code; {'; '.join(said)})"


def _pairs(mechanism: Mechanism, datasets: list[Dataset]) -> list[list[int]] | None:
    """The adjacent pairs by position, the smaller one first; None, without a list, if that is every pair."""
    if mechanism.counts().pairs == len(datasets) * (len(datasets) - 1):
        return None
    index = {x: i for i, x in enumerate(datasets)}
    later = (sorted(j for j in map(index.__getitem__, mechanism.neighbors(x)) if j > i) for x, i in index.items())
    return [[i, j] for i, found in enumerate(later) for j in found]


def _witness(mechanism: Mechanism, evidence: Evidence) -> dict[str, Any]:
    witness, quantity = evidence.witness, evidence.quantity
    show = plain if mechanism.exact_rows([]) is None else text
    found: dict[str, Any] = {"x": show(witness.x), "x_prime": show(witness.x_prime)}
    if quantity == "epsilon":
        found["output"] = show(witness.output)
    return found if quantity == "delta" else {**found, **evidence.at}


def readable(found: Enclosure) -> Enclosure:
    """An enclosure that the verifier can read: ends with more than MAX_PLACES decimals are rounded outward."""
    if found.is_infinite or found.places <= MAX_PLACES:
        return found
    return outward(found.lower, found.upper, MAX_PLACES - 2, small=False)
