"""--memory: what an audit keeps stays within it, beyond the program itself; measured in processes of their own."""

import json
import subprocess
import sys

import pytest

import dpaudit
from dpaudit.numbers.errors import TooLargeError

MEASURE = """
import json, resource, sys
import dpaudit, numpy, scipy.stats
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
class Own:
    def datasets(self): return range(30)
    def outputs(self): return range(100)
    def probabilities(self, x):
        weights = [1 + (7 * x + 3 * r) % 11 for r in range(100)]
        return [f"{w}/{sum(weights)}" for w in weights]
command, given, memory = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
mech = given.pop("mech", None) or Own()
dpaudit.epsilon("EHDS", n=3, k=3, tier="fast"), dpaudit.profile("EHDS", n=2)
before, refused = peak(), ""
try:
    getattr(dpaudit, command)(mech, memory=memory << 20, **given)
except dpaudit.InputError as error:
    refused = str(error)
print(json.dumps([peak() - before, refused]))
"""
SLACK = 12
"""MiB that Python's own allocator and the libraries take now and then."""


def measured(command, memory, **given):
    words = [sys.executable, "-c", MEASURE, command, json.dumps(given), str(memory)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    grown, refused = json.loads(done.stdout)
    return grown, refused


@pytest.mark.parametrize(
    ("command", "memory", "given"),
    [
        ("epsilon", 4, {"mech": "EHDS", "n": 30, "k": 3, "tier": "exact"}),
        ("epsilon", 6, {"mech": "EHDS", "n": 70, "k": 3, "tier": "fast"}),
        ("profile", 40, {"mech": "EHDS", "n": 100}),
        ("profile", 220, {}),
    ],
)
def test_an_audit_keeps_within_its_memory(command, memory, given):
    grown, refused = measured(command, memory, **given)
    assert not refused
    assert grown <= memory + SLACK, grown


@pytest.mark.parametrize(
    ("command", "memory", "given"),
    [
        ("profile", 10, {"mech": "EHDS", "n": 100}),
        ("profile", 50, {}),
        ("epsilon", 1, {"mech": "EHDS", "n": 60, "k": 3}),
    ],
)
def test_what_needs_more_is_refused_before_it_is_made(command, memory, given):
    grown, refused = measured(command, memory, **given)
    assert "needs at least" in refused
    assert grown <= memory + SLACK, grown


def test_less_memory_is_slower_and_gives_the_same():
    setting = dpaudit.Setting.read("EHDS", n=12, k=3)
    least = setting.mechanism.memory()
    usual, tight = (dpaudit.epsilon(setting, tier="exact", memory=memory) for memory in (2 << 30, least))
    assert (usual.epsilon, usual.witness) == (tight.epsilon, tight.witness)
    with pytest.raises(TooLargeError, match="needs at least"):
        dpaudit.epsilon(setting, tier="exact", memory=least - 1)
