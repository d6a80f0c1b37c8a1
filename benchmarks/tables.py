"""Tables as people bring them, and the plain computation of their true ε: column maxima over column minima."""

import csv
import math
import random
from fractions import Fraction

import numpy as np


def write_rationals(path, rows, outputs):
    """A table of whole weights over their sum; every row is different."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("," + ",".join(f"o{j}" for j in range(outputs)) + "\n")
        for i in range(rows):
            weights = [rng.randint(900, 1100) for _ in range(outputs)]
            whole = sum(weights)
            file.write(f"d{i}," + ",".join(f"{weight}/{whole}" for weight in weights) + "\n")


def fractions_epsilon(path):
    """The largest loss in plain Python: Fractions, each row's sum checked."""
    with path.open(encoding="utf-8") as file:
        table = [[Fraction(cell) for cell in row[1:]] for row in list(csv.reader(file))[1:]]
    assert all(sum(row) == 1 for row in table)
    return math.log(max(max(column) / min(column) for column in zip(*table, strict=True)))


class Weights:
    """Data set x prefers outputs near it: log-weights -|x - r| / rows."""

    def __init__(self, rows, outputs):
        self.rows, self.columns = rows, outputs

    def datasets(self):
        return list(range(self.rows))

    def outputs(self):
        return list(range(self.columns))

    def log_weight(self, x, r):
        return Fraction(-abs(x - r), self.rows)


class Response:
    """Randomized response over all outputs, by the first of them: each entry a quotient of exp."""

    def __init__(self, rows, outputs, exp):
        self.rows, self.columns, self.exp = rows, outputs, exp

    datasets, outputs = Weights.datasets, Weights.outputs

    def probability(self, x, r):
        e = self.exp(1)
        return (e if x == r else 1) / (e + self.columns - 1)


def numpy_response(rows, outputs):
    """The largest loss of Response in floats."""
    e = math.exp(1)
    table = np.where(np.arange(rows)[:, None] == np.arange(outputs), e, 1.0) / (e + outputs - 1)
    return float(np.log(table.max(axis=0) / table.min(axis=0)).max())


def numpy_epsilon(rows, outputs):
    """The largest loss of Weights in floats."""
    weights = -np.abs(np.arange(rows)[:, None] - np.arange(outputs)) / rows
    logs = weights - np.log(np.exp(weights).sum(axis=1))[:, None]
    return float((logs.max(axis=0) - logs.min(axis=0)).max())
