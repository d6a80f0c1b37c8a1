"""dpaudit check ID --certificate FILE: what is written is accepted by the independent verifier, the rest is refused."""

import json
from dataclasses import replace

import pytest

from dpaudit.claims import certificates
from dpaudit.cli import main
from dpaudit.evidence.verifier.main import verify
from tests.proofs_checks.documents import run_one

CERTIFIED = ["dp.ehd.any-prior", "dp.lszhang", "dp.lsdim", "dp.lshist", "dp.ehd.exact-gs", "dp.ehds", "dp.mh"]
SLOW = ("dp.lszhang", "dp.ehd.exact-gs", "dp.ehds", "dp.mh")
"""Ten seconds and more; of theorems for every n tests/evidence/verifier/theorems/test_every_n.py has small ones."""


@pytest.mark.parametrize("claim", CERTIFIED)
def test_the_certificate_is_accepted_in_full(claim, tmp_path, capsys, long):
    if claim in SLOW and not long:
        pytest.skip("with --long")
    file = tmp_path / "c.json"
    assert main(["check", claim, "--certificate", str(file), "--json"]) == 0
    assert "written" in capsys.readouterr().err
    assert main(["verify", str(file), "--full"]) == 0
    assert "ACCEPTED" in capsys.readouterr().out


def test_the_certificate_is_of_the_counterexample(tmp_path, capsys):
    file = tmp_path / "c.json"
    assert main(["check", "dp.ehd.any-prior", "--certificate", str(file), "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    document = json.loads(file.read_text())
    left = entry["counterexample"]["left"]
    assert document["subject"]["prior"] == ["1/20", "1/20"]
    assert verify(document)[1]["verdict"] == "REFUTED"
    assert float(left["lower"]) <= float(document["statement"]["upper"])
    assert float(document["statement"]["lower"]) <= float(left["upper"])


def test_an_audit_that_contradicts_the_claim_is_not_certified():
    result = run_one("dp.ehd.any-prior")
    assert certificates.audited(result).claim.verdict.value == "REFUTED"
    with pytest.raises(certificates.InputError, match="please report"):
        certificates.audited(replace(result, audits=("EHD", {"gs": "exact"})))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["acc.4.2.closed"], "IDS = acc.4.2.closed: has no certificate: its instance is not the audited"),
        (["dp.ls*"], "--certificate takes one claim at a time"),
    ],
)
def test_other_claims_are_refused_in_one_line(arguments, message, tmp_path, capsys):
    assert main(["check", *arguments, "--certificate", str(tmp_path / "c.json")]) == 2
    text = capsys.readouterr().err
    assert message in text
    assert text.count("\n") == 1
    assert not (tmp_path / "c.json").exists()
