"""Certificates of a report: written for every finding that the independent verifier knows, and verified at once."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dpaudit.audit.guarantees import judge
from dpaudit.audit.results import EpsilonResult, GuaranteeResult
from dpaudit.evidence import certificate
from dpaudit.evidence.verification import verify
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.block import DIGITS, Case
from dpaudit.reports.document import Finding
from dpaudit.reports.everywhere import theorem_of

FOLDER = "certificates"
SECONDS = 600
"""The time limit of the verifier for one certificate, in seconds."""


def certified(case: Case, finding: Finding) -> tuple[Finding, dict[str, bytes]]:
    """The finding with the independent verifier's answer, and the file of its certificate."""
    if not case.mechanism.tabular:
        return finding, {}
    name = f"{FOLDER}/{re.sub(r'[^a-z0-9]+', '-', finding.name.lower()).strip('-')}.json"
    try:
        result = _result(case, finding)
        text = json.dumps(certificate.certificate(result), ensure_ascii=False, indent=1) + "\n"
    except (InputError, PrecisionExhausted) as problem:
        why = visible(problem.rule if isinstance(problem, InputError) else str(problem))
        return replace(finding, checked=(*finding.checked, f"nobody, as there is no certificate: {why}")), {}
    proved = finding.judgement is not None and finding.judgement.verdict is Verdict.PROVED
    with TemporaryDirectory(prefix="dpaudit-") as folder:
        path = Path(folder) / "certificate.json"
        path.write_text(text, encoding="utf-8")
        found = verify(str(path), full=proved, seconds=SECONDS)
    again = f"dpaudit verify {name}{' --full' if proved else ''}"
    finds = (found.statement or {}).get("verdict")
    verdict = f" and finds {finds}" if finds else ""
    accepts = f"accepts {name}{' in full' if proved else ''}{verdict}{_only(finding, result)}; to repeat it: {again}"
    words = accepts if found.accepted else f"rejects {name}: {found.reason}"
    line = f"the independent verifier, which {words}"
    return replace(finding, checked=(line, *finding.checked)), {name: text.encode()}


def _only(finding: Finding, result: Any) -> str:
    """What of a proved statement about several n the certificate is about, where that is a single n."""
    found, proof = finding.judgement, finding.proof
    if found is None or found.verdict is not Verdict.PROVED or found.extent is None or proof is None:
        return ""
    several = found.extent.every or len(found.extent.ns) > 1
    single = isinstance(result, EpsilonResult | GuaranteeResult)
    return f", at n = {proof.n} only" if several and single and proof.n is not None else ""


def _result(case: Case, finding: Finding) -> Any:
    """The result that the verdict rests on: the theorem on every n, the true ε, or what else decided."""
    found, proof = finding.judgement, finding.proof
    if found is not None and found.extent is not None and found.extent.every:
        theorem = theorem_of(case.setting, wanted=True)
        if theorem is not None:
            return theorem
    n = None if proof is None else proof.n
    answer = case.answers.get(n)
    if isinstance(answer, EpsilonResult) and (proof is None or proof.quantity == "true ε"):
        return answer
    asked = case.asked_at(n)
    if asked is None:
        raise InputError("certificate", finding.name, "nothing was decided, so there is nothing to certify")
    return judge(case.at(n), asked, digits=DIGITS)
