"""The law of a sampler by running it on every sequence of draws, plainly; shares no code with dpaudit."""

import random
from collections import Counter
from fractions import Fraction


class Every(random.Random):
    """A random source that gives the draws of one sequence; ``following`` moves to the next."""

    def __init__(self, bits):
        super().__init__()
        self.bits, self.places, self.at = bits, [], 0

    def draw(self, size):
        if self.at == len(self.places):
            self.places.append([0, size])
        value, known = self.places[self.at]
        assert known == size, "the sampler is not a function of its draws"
        self.at += 1
        return value

    def random(self):
        return self.draw(1 << self.bits) / (1 << self.bits)

    def getrandbits(self, k):
        return self.draw(1 << k)

    def _randbelow(self, n):
        return self.draw(n)

    def following(self):
        del self.places[self.at :]
        self.at = 0
        while self.places and self.places[-1][0] == self.places[-1][1] - 1:
            self.places.pop()
        if not self.places:
            return False
        self.places[-1][0] += 1
        return True


def kind(output):
    """Returns type and text of an output; numbers of numpy are plain numbers."""
    if isinstance(output, tuple):
        return tuple(map(kind, output))
    plain = output.item() if hasattr(output, "item") else output
    return type(plain).__name__, repr(plain)


def enumerated(function, bits, most=10**6):
    """Returns {(type, repr) of the output: probability}, exceptions as ("Raised", name)."""
    rng, found = Every(bits), Counter()
    for _ in range(most):
        try:
            output = kind(function(rng))
        except Exception as error:
            output = "Raised", type(error).__name__
        weight = Fraction(1)
        for _, size in rng.places[: rng.at]:
            weight /= size
        found[output] += weight
        if not rng.following():
            return dict(found)
    raise AssertionError("too many sequences")
