"""Every check of the figures can fail: the inequality is flipped or a constant changed, and the verdict changes."""

from dataclasses import replace

import pytest

from proofs_checks import core, expectations, figures, registry, runner

EXPECTED = expectations.read()

PERTURBED = [
    ("fig.concrete-epsilon", figures, "TRUE_EPSILON", replace(figures.TRUE_EPSILON, relation=">")),
]


@pytest.mark.parametrize(("claim", "module", "name", "value"), PERTURBED)
def test_a_perturbed_check_changes_its_verdict(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    assert runner.run_one(claim).outcome.verdict.value != EXPECTED[claim]["verdict"]


def test_the_flipped_core_changes_what_was_proved_on_the_grid(monkeypatch):
    registry.load()
    compare = core.compare
    flipped = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!=", "!=": "="}
    monkeypatch.setattr(core, "compare", lambda relation, left, right: compare(flipped[relation], left, right))
    assert runner.run_one("fig.concrete-epsilon").outcome.verdict.value == "REFUTED"
