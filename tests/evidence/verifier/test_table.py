"""Tables of a certificate: which entries and which forms are read, and what they mean."""

from fractions import Fraction as F

import attacks
import pytest
from certificates import changed, outcome

from dpaudit.evidence.verifier.arithmetic import Malformed
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.table import evaluate

BITS = 80
HALVES = ["1/2", "1/2"]
DOCUMENT = attacks.table([HALVES, ["1/3", "2/3"]])


@pytest.mark.parametrize(
    "entry",
    [["log_beta", "1"], ["", "1"], ["+", "1"], ["*", "1"], ["+"], ["/", "1"], ["/", "1", "2", "3"], ["^", "2"],
     ["^", "2", "3", "4"], ["exp"], ["exp", "1", "1"], ["log", "1", "1"], ["sqrt", "1", "1"], ["pi", "1"]],
    ids=str,
)  # fmt: skip
def test_an_operation_has_a_name_and_its_number_of_arguments(entry):
    with pytest.raises(Malformed, match="there is no operation"):
        evaluate(entry, BITS)


@pytest.mark.parametrize(
    ("entry", "value"),
    [(["+", "1", "2", "3"], 6), (["*", "2", "3", "4"], 24), (["/", "1", "4"], F(1, 4)), (["^", "2", "3"], 8),
     (["^", "2", "-3"], F(1, 8)), (["exp", "0"], 1), (["log", "1"], 0), (["sqrt", "4"], 2), (["log_gamma", "1"], 0)],
    ids=str,
)  # fmt: skip
def test_the_value_of_an_operation(entry, value):
    low, high = evaluate(entry, BITS).value.ends()
    assert low <= value <= high <= low + F(1, 10**15)


def test_the_logarithm_of_one_is_zero_exactly():
    assert evaluate(["log", "1"], BITS).is_exactly_zero
    assert evaluate(["log", "2"], BITS).form is None


def test_pi_is_an_operation_without_arguments():
    low, high = evaluate(["pi"], BITS).value.ends()
    assert F("3.14159265358979") < low <= high < F("3.14159265358980")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (DOCUMENT, None),
        (attacks.table([[], []]), "malformed"),
        (attacks.table([[], []], logarithmic=True), "malformed"),
        (changed(DOCUMENT, ("subject", "datasets"), ["x0"]), "not one row for each that is covered"),
        (changed(changed(changed(DOCUMENT, ("subject", "datasets"), ["x0"]), ("law", "covers"), "witness"),
                 ("witness", "x_prime"), "x0"), "not a pair of adjacent data sets"),
        (changed(DOCUMENT, ("subject", "rows", 0), ["1/2", "1/4", "1/4"]), "not one entry for each output"),
        (changed(DOCUMENT, ("subject", "datasets"), ["x0", "x0"]), "not distinct texts"),
        (changed(DOCUMENT, ("subject", "datasets"), ["x0", 1]), "not distinct texts"),
        (changed(DOCUMENT, ("subject", "outputs"), ["o0", "o0"]), "not distinct texts"),
        (changed(DOCUMENT, ("witness", "x"), "nobody"), "x is not a data set"),
        (changed(DOCUMENT, ("subject", "pairs"), [[0, 0]]), "a pair occurs twice, or is none"),
        (changed(DOCUMENT, ("subject", "pairs"), [[0, 1], [1, 0]]), "a pair occurs twice, or is none"),
        (changed(DOCUMENT, ("subject", "pairs"), [[0, 2]]), "not a list of pairs of positions"),
        (attacks.table([["0", None], ["0", "0"]], logarithmic=True), None),
        (attacks.table([[None, None], ["0", "0"]], logarithmic=True), "makes every output impossible"),
        (attacks.table([[["between", "1/4", "1/2"], "1/2"], HALVES]), None),
        (attacks.table([[["between", "0", "1/4"], "1/2"], HALVES]), "does not sum to 1"),
        (attacks.table([[["between", "1/2", "1/4"], "1/2"], HALVES]), "the lower one first"),
        (attacks.table([[["between", "-1/4", "1/2"], "1/2"], HALVES]), "two numbers >= 0"),
        (attacks.table([[["between", "1/2"], "1/2"], HALVES]), "there is no operation"),
        (attacks.table([[["between", "1/4", "1/2", "1"], "1/2"], HALVES]), "there is no operation"),
        (attacks.table([[*HALVES, ["between", "0", "1/2"]], [*HALVES, "0"]]), None),
        (attacks.table([[*HALVES, ["between", "1/4", "1/2"]], [*HALVES, "0"]]), "does not sum to 1"),
        (changed(DOCUMENT, ("subject", "rows", 0), "11"), "not one entry for each output"),
        (changed(DOCUMENT, ("subject", "rows", 0), ["1/2", "1/3"]), "does not sum to 1"),
    ],
)  # fmt: skip
def test_the_form_of_a_table(document, reason):
    found = outcome(document)
    assert found is None if reason is None else reason in found


def test_the_rows_that_a_table_lacks_are_counted():
    assert "HOLDS ONLY" not in verify(DOCUMENT)[1]["text"]
    lacking = changed(DOCUMENT, ("subject", "datasets"), ["x0", "x1", "x2"])
    assert "; it HOLDS ONLY 2 of 3 rows" in verify(changed(lacking, ("law", "covers"), "witness"))[1]["text"]
