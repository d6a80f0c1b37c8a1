"""Certificates: a result as a small JSON that anyone can check with ``dpaudit verify``, along an independent path.

It holds the inputs as exact rationals, the statement, the witness with enclosures of both probabilities, the method,
the versions and a hash of its own content. For somebody's own mechanism it holds the exact distributions themselves.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.audit.results import DeltaResult, EpsilonResult, GuaranteeResult
from dpaudit.audit.setting import Setting
from dpaudit.evidence import covers
from dpaudit.evidence.verify import FAMILY, FORMAT, digest, is_family_name, refused
from dpaudit.files.writing import write_file
from dpaudit.forall.ranged import Ranged
from dpaudit.mechanisms.base import ExactRows, Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.adjacency import ALL_PAIRS, REPLACE_ONE
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Dataset, Output, plain, text
from dpaudit.version import __version__

MAX_ENTRIES = 50_000
"""Somebody's own mechanism is held in full up to this many probabilities, beyond that the two rows of the witness."""

MAX_ROW = 200_000
"""Outputs of an exponential mechanism: the two rows of the witness are summed up term by term."""
MAX_PLACES = 2050
"""Decimals of an end of an enclosure; the verifier reads up to 2100."""

Result = EpsilonResult | DeltaResult | GuaranteeResult | covers.TheoremResult
ARITHMETIC = "balls (FLINT/Arb), rounded outward"


def certificate(result: Result) -> dict[str, Any]:
    """Returns the certificate of one result, ready for JSON."""
    if isinstance(result, covers.TheoremResult):
        return _complete(covers.document(result), result.precision_bits, result.subject.mechanism)
    mechanism, evidence = result.subject.mechanism, _evidence(result)
    claimed = result.claim.guarantee
    if not isinstance(result, GuaranteeResult) and claimed is not None and claimed.epsilon_delta() is None:
        rule = f"{mechanism.name} claims {claimed.text()}, which this would leave out: take dpaudit judge --certificate"
        raise InputError("certificate", "(not written)", rule)
    document = {
        "format": FORMAT,
        "version": 1,
        "subject": _subject(mechanism, evidence.witness),
        "statement": _statement(result.claim, evidence),
        "witness": _witness(mechanism, evidence),
    }
    return _complete(document, evidence.bits, mechanism)


def _complete(document: dict[str, Any], bits: int, mechanism: Mechanism) -> dict[str, Any]:
    """Returns the document with method, versions and hash; one that the verifier cannot accept is refused."""
    counts = {} if document.get("kind") == "every-n" else {"counts": mechanism.counts().to_dict()}
    document["method"] = {"arithmetic": ARITHMETIC, "precision_bits": bits, **counts}
    document["versions"] = _versions()
    document["sha256"] = digest(document)
    reason = refused(document)
    if reason is not None:
        raise InputError("certificate", mechanism.name, f"the verifier could not accept it: {reason}")
    return document


def _evidence(result: EpsilonResult | DeltaResult | GuaranteeResult) -> Evidence:
    """Returns what was measured: by an audit of epsilon or delta that value, by a judgement what decides it."""
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
    bounds = {"quantity": evidence.quantity, **readable(evidence.value).to_dict()}
    judged = claim.to_dict()
    if evidence.quantity not in ("epsilon", "delta"):
        return {**bounds, "guarantee": judged["guarantee"], "verdict": judged["verdict"]}
    at = {"at": evidence.at["epsilon"]} if evidence.quantity == "delta" else {}
    verdict = None if claim.epsilon is None else judged["verdict"]
    return {**bounds, **at, "claimed": judged["claimed"], "claimed_delta": judged["claimed_delta"], "verdict": verdict}


def bundle(results: Sequence[Result]) -> dict[str, Any]:
    """Returns one certificate with several parts, each with its own statement."""
    document = {"format": FORMAT, "version": 1, "parts": [certificate(result) for result in results]}
    return {**document, "sha256": digest(document)}


def write(result: Result | Sequence[Result], path: str) -> None:
    """Writes the certificate of a result, or of several results, to a file."""
    document = certificate(result) if isinstance(result, Result) else bundle(result)
    write_file("certificate", path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def check_possible(subject: Mechanism | Setting | Ranged) -> None:
    """Refuses what the verifier knows nothing of, before any work is done."""
    if isinstance(subject, Ranged):
        covers.check_possible(subject)
    mechanism = subject if isinstance(subject, Mechanism) else subject.mechanism
    if mechanism.exact_rows([]) is not None:
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
        if name not in FAMILY[mechanism.name][1]:
            rule = f"there is no independent verifier for this {name} of {mechanism.name}, so no certificate"
            raise InputError(name, value, rule)
    if mechanism.adjacency not in (REPLACE_ONE, ALL_PAIRS):
        rule = f"there is no independent verifier for this adjacency of {mechanism.name}, so no certificate"
        raise InputError("adjacency", mechanism.adjacency.text(), rule)


def _subject(mechanism: Mechanism, witness: Witness) -> dict[str, Any]:
    check_possible(mechanism)
    if mechanism.exact_rows([]) is None:
        return mechanism.describe()
    datasets, outputs = list(mechanism.datasets()), list(mechanism.outputs())
    held = datasets if len(datasets) * len(outputs) <= MAX_ENTRIES else [witness.x, witness.x_prime]
    exact = mechanism.exact_rows(held) or ExactRows(False, [])
    left_out = ("adjacency", "assumptions", "residual", "notes")
    described = {name: value for name, value in mechanism.describe().items() if name not in left_out}
    described |= {"source": described["source"] + _rests_on(mechanism)} if mechanism.caveats() else {}
    return {
        **described,
        "datasets": [text(x) for x in datasets],
        "outputs": [text(output) for output in outputs],
        "pairs": _pairs(mechanism, datasets),
        "logarithmic": exact.logarithmic,
        "rows": {text(x): row for x, row in zip(held, exact.rows, strict=True)},
    }


def _rests_on(mechanism: Mechanism) -> str:
    """Returns what the table rests on where it is the law of somebody's code."""
    found = mechanism.caveats()
    assumed = f"assumed: {'; '.join(found['assumptions'])}"
    said = [f"not followed: at most {found['residual']}", assumed, *found.get("notes", ())]
    return f" (the law of its code; {'; '.join(said)})"


def _pairs(mechanism: Mechanism, datasets: list[Dataset]) -> list[list[int]] | None:
    """Returns the adjacent pairs by position, the smaller one first; None, without a list, if that is every pair."""
    if mechanism.counts().pairs == len(datasets) * (len(datasets) - 1):
        return None
    index = {x: i for i, x in enumerate(datasets)}
    later = (sorted(j for j in map(index.__getitem__, mechanism.neighbours(x)) if j > i) for x, i in index.items())
    return [[i, j] for i, found in enumerate(later) for j in found]


def _witness(mechanism: Mechanism, evidence: Evidence) -> dict[str, Any]:
    witness, quantity = evidence.witness, evidence.quantity
    show = plain if mechanism.exact_rows([]) is None else text
    found: dict[str, Any] = {"x": show(witness.x), "x_prime": show(witness.x_prime)}
    if quantity == "epsilon":
        digits = min(30, max(15, evidence.bits // 8))
        found["output"] = show(witness.output)
        for name, x in (("p", witness.x), ("p_prime", witness.x_prime)):
            found[name] = readable(probability(mechanism, x, witness.output, digits)).to_dict()
    return found if quantity == "delta" else {**found, **evidence.at}


def readable(found: Enclosure) -> Enclosure:
    """Returns an enclosure that the verifier reads: an end of more than MAX_PLACES decimals is moved outward."""
    if found.is_infinite or found.places <= MAX_PLACES:
        return found
    return outward(found.lower, found.upper, MAX_PLACES - 2, small=False)


def probability(mechanism: Mechanism, x: Dataset, output: Output, digits: int) -> Enclosure:
    """Returns an enclosure of P_x(output) with about ``digits`` significant digits, as far as they can be had."""

    def attempt() -> Enclosure:
        value = mechanism.point(x, output)
        found = (balls.enclosure(value, places, least=0, most=1) for places in range(digits, 0, -1))
        return next((narrow for narrow in found if narrow), Enclosure(Fraction(0), Fraction(1), 0))

    return balls.refine(attempt, *balls.bits_for(2 * digits, mechanism.counts().outputs))[0]


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"dpaudit": __version__, "python-flint": version("python-flint"), "python": platform.python_version()}
