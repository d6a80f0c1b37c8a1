"""Certificates for the tests: of every mechanism, of own ones, of both quantities; and ways to change them."""

import copy

import dpaudit
from dpaudit.evidence.certificate import certificate
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.reading import digest

FAMILY = [
    ("EHDS", {"n": 4}),
    ("EHDS", {"n": 3, "k": 3, "prior": "1/2,1,2", "gamma": "1/2", "eps": "2"}),
    ("EHDL", {"n": 4, "eps": "4/5"}),
    ("EHD", {"n": 3, "prior": "1/3,1/3"}),
    ("EHD", {"n": 4, "gs": "exact"}),
    ("MH", {"n": 4, "gamma": "3"}),
    ("MHdelta", {"n": 4, "delta": "1/20", "eps": "2"}),
    ("LSZhang", {"n": 2}),
    ("LSDim", {"n": 2, "k": 3, "eps": "3/2"}),
    ("LSHist", {"n": 3, "eps": "1/2"}),
]
OWN = [
    ("dpaudit.examples.randomized_response:RandomizedResponse", {"k": 3}),
    ("dpaudit.examples.randomized_response:SpinnerResponse", {}),
    ("dpaudit.examples.geometric:TruncatedGeometric", {"n": 3}),
    ("dpaudit.examples.geometric:WrongSensitivity", {"n": 3}),
    ("dpaudit.examples.permute_and_flip:PermuteAndFlip", {"n": 2}),
    ("dpaudit.examples.noisy_max:ReportNoisyMax", {"n": 1, "k": 2}),
    ("dpaudit.examples.noisy_max:ClippedNoisyMax", {"n": 2, "k": 2}),
    ("dpaudit.examples.sparse_vector:BrokenSparseVector", {"n": 1}),
    ("dpaudit.examples.log_beta:LogBetaSlip", {"n": 4}),
]


def make(case, at=None, **more):
    mech, options = case
    if at is None:
        return certificate(dpaudit.epsilon(mech, **options, **more))
    return certificate(dpaudit.delta(mech, at, **options, **more))


def changed(document, path, value):
    """A copy with one member replaced (or changed by a function) and the hash made right again."""
    new = copy.deepcopy(document)
    place = new
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value(place[path[-1]]) if callable(value) else value
    new["sha256"] = digest(new)
    return new


def outcome(document, full=False):
    """None if accepted, else the reason."""
    try:
        verify(document, full)
    except Rejected as rejected:
        return str(rejected)
    return None


def established(document, full=False):
    """The lines of an accepted certificate."""
    return verify(document, full)[0]
