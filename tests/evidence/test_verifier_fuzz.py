"""Files from strangers: at least 20 000 damaged certificates and tables. No crash, no hang, no false ACCEPTED."""

import json
import random
from contextlib import suppress
from fractions import Fraction as Fr

import pytest
from certificate_truth import lie
from certificates import FAMILY, OWN, changed, make, outcome

import dpaudit
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.main import verify
from dpaudit.files.strict_json import parse_json
from dpaudit.mechanisms.own.table import read_table
from dpaudit.numbers.errors import InputError

BYTES, MEMBERS, NUMBERS, TABLES = 17_000, 1_200, 400, 1_500
assert BYTES + MEMBERS + NUMBERS + TABLES >= 20_000

CASES = [(FAMILY[0], None), (FAMILY[2], "0"), (FAMILY[6], None), (FAMILY[9], None), (OWN[0], None), (OWN[1], "0"),
         (OWN[2], "1/2"), (OWN[7], None)]  # fmt: skip
JUNK = [None, True, False, 0, -1, 10**30, "", "x", "1e999999", "1e-999999", "-0", "1/0", "nan", "inf", "0.5",
        "9" * 3000, [], {}, [[]], [1, 2], {"a": 1}, ["exp", "1"], ["^", "2", "9999"], ["between", "0", "1"],
        "\ud800", "é"]  # fmt: skip


@pytest.fixture(scope="module")
def certificates():
    return [make(case, at) for case, at in CASES]


def damaged(rng, content):
    """The bytes with one to three flips, deletions, insertions, doublings or a cut."""
    content = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(max(1, len(content)))
        j = min(len(content), i + rng.randint(1, 12))
        action = rng.randrange(6)
        if action == 0 and content:
            content[i] ^= 1 << rng.randrange(8)
        elif action == 1:
            del content[i:j]
        elif action == 2:
            content[i:i] = rng.choice([b"9", b"0", b"-", b'"', b"[", b"{", b",", b"null", b"1e9", b"\x00", b"\xff"])
        elif action == 3:
            content[i:i] = content[i:j] * rng.randint(1, 3)
        elif action == 4 and content:
            content[i] = rng.randrange(256)
        else:
            del content[rng.randrange(max(1, len(content))) :]
    return bytes(content)


def parsed(content):
    """The document, or None if it is refused."""
    try:
        return parse_json("CERTIFICATE", "file", content.decode("utf-8"))
    except (InputError, UnicodeDecodeError):
        return None


def test_damaged_bytes(certificates):
    rng = random.Random(1)
    originals = [json.dumps(found).encode() for found in certificates]
    survivors = 0
    for i in range(BYTES):
        found = certificates[i % len(certificates)]
        document = parsed(damaged(rng, originals[i % len(certificates)]))
        if document is not None and outcome(document) is None:
            assert document == found
            survivors += 1
    assert survivors < BYTES // 100


def places(value, path=()):
    """The paths of all members and entries."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield (*path, name)
        yield from places(inner, (*path, name))


def test_changed_members_with_the_hash_made_right(certificates):
    """What is accepted states something true of its subject: the engine, which knows no certificate, says so."""
    rng, accepted = random.Random(2), 0
    spots = [[p for p in places(found) if p != ("sha256",)] for found in certificates]
    for i in range(MEMBERS):
        found = certificates[i % len(certificates)]
        path = rng.choice(spots[i % len(certificates)])
        new = changed(found, path, rng.choice(JUNK))
        if outcome(new) is None:
            accepted += new != found
            assert lie(new, full=False) is None, path
    assert accepted > MEMBERS // 100


def nudged(rng, text):
    """Another number near the one given."""
    value = Fr(text)
    step = Fr(rng.choice([-1, 1]) * rng.randint(1, 9), 10 ** rng.randint(1, 14))
    return str(value + step)


def truth(document):
    """The statement of a certificate of the family, recomputed by the engine: an enclosure."""
    subject, statement = document["subject"], document["statement"]
    options = {name: value for name, value in subject["parameters"].items() if name != "delta"}
    options |= {"delta": subject["parameters"]["delta"]} if "delta" in subject["parameters"] else {}
    options |= {"n": subject["n"], "prior": subject["prior"], "eps": subject["nominal_epsilon"], "digits": 18}
    if statement["quantity"] == "epsilon":
        return dpaudit.epsilon(subject["mechanism"], **options).epsilon
    return dpaudit.delta(subject["mechanism"], statement["at"], **options).delta


def test_changed_numbers_are_accepted_only_where_the_statement_is_true(certificates):
    rng = random.Random(3)
    family = [found for found in certificates if "rows" not in found["subject"]]
    accepted = 0
    for _ in range(NUMBERS):
        found = rng.choice(family)
        paths = [("statement", "lower"), ("statement", "upper"), ("subject", "nominal_epsilon"),
                 ("subject", "prior", 0), ("witness", "p", "lower"), ("statement", "claimed")]  # fmt: skip
        path = rng.choice([p for p in paths if p[0] != "witness" or "p" in found["witness"]])
        value = found["statement"]["claimed"] if path[-1] == "claimed" else True
        if value is None:
            continue
        new = changed(found, path, lambda text: nudged(rng, text))
        with suppress(Rejected):
            said = verify(new, True)[1]
            accepted += 1
            real = truth(new)
            assert Fr(new["statement"]["lower"]) <= real.upper
            assert real.lower <= Fr(new["statement"]["upper"])
            if said["verdict"] == "PROVED" and not Fr(new["statement"]["claimed_delta"]):
                assert real.lower <= Fr(new["statement"]["claimed"])
    assert NUMBERS // 50 < accepted < NUMBERS // 2


def test_damaged_tables(tmp_path):
    rng = random.Random(4)
    csv = b",no,yes\nno,3/4,1/4\nyes,0.25,0.75\nmaybe,1/2,0.5\n"
    document = b'{"outputs": ["no", "yes"], "rows": {"no": ["3/4", "1/4"], "yes": [0.25, 0.75]}}'
    good, lines = 0, []
    for i in range(TABLES):
        name, content = (("t.csv", csv), ("t.json", document))[i % 2]
        path = tmp_path / name
        path.write_bytes(damaged(rng, content))
        try:
            table = read_table(str(path))
        except InputError as error:
            lines.append(str(error))
            continue
        good += 1
        for x in table.datasets():
            row = table.row(x).entries
            assert sum(row) == 1
            assert min(row) >= 0
    assert good < TABLES // 3
    assert not any("\n" in line for line in lines)


def test_giants_are_refused_at_once(certificates):
    for found in certificates[::3]:
        for path in (("statement", "lower"), ("witness", "x"), ("subject", "mechanism"), ("made",)):
            refused = outcome(changed(found, path, "9" * 10**6)) is not None
            assert refused or path[0] == "made" or (path[0] == "subject" and "rows" in found["subject"])
    assert parsed(b"[" * 10**6) is None
    assert parsed(b'{"lower": ' + b"9" * 10**6 + b"}") is None
    nested = "1"
    for _ in range(400):
        nested = ["exp", nested]
    table = certificates[5]
    assert "neither a number nor an operation" in outcome(changed(table, ("subject", "rows", 0, 0), nested))
