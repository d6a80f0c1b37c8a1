"""A made-up paper of three claims on randomized response: n people tell the truth with probability e^ε/(1+e^ε)."""

from pathlib import Path

from dpaudit.claims import THERE_IS, Catalogue, claims

CATALOGUE = Catalogue(
    title="Randomized response: three claims",
    claims=claims(
        "Randomized response",
        ("rr.private", "RR", "Theorem 1", "one report changes the likelihood by a factor of at most e^ε, for every n"),
        ("rr.variance", "RR", "Remark 2", "the estimated share of n people has a variance of at most 1/n"),
        ("rr.honest", "RR", "Remark 3", "there is a whole ε at which fewer than one report in 100 is a lie", THERE_IS),
    ),
    package="response_paper",
    folder=Path(__file__).parent,
    introduction="A catalogue for the tests.",
)
